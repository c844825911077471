// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/address_map.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace contraflow::pcie {
namespace {

constexpr unsigned buses_a_segment = 256;
constexpr unsigned devices_a_bus = 32;

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

address_map::address_map(const topology& nodes, std::vector<function_spec> functions)
    : nodes_(nodes),
      specs_(std::move(functions)),
      functions_(nodes.size()),
      bridges_(nodes.size()) {
    if (specs_.size() != nodes.size()) throw std::invalid_argument("address_map: a specification a node");
    for (node_id id = 0; id < nodes_.size(); ++id) {
        if (nodes_[id].kind != node_kind::endpoint) continue;
        functions_[id].bars.resize(specs_[id].bars.size());
        functions_[id].fixed = specs_[id].fixed;
        for (const auto& b : specs_[id].bars)
            if (b.size.count < 16 || !std::has_single_bit(b.size.count))
                throw std::invalid_argument(
                    fmt::format("address_map: a BAR of {} at '{}'; it must be a power of two, 16B or more",
                                to_text(b.size), nodes_[id].name));
    }
    if (const auto wrong = problem_of(nodes_)) throw std::invalid_argument("address_map: " + wrong->text);
    number(0, {});
    place_space(false, narrow_base, narrow_end);
    place_space(true, wide_base, std::numeric_limits<std::uint64_t>::max());
    refuse_overlaps();
}

// Functions choose their fixed ranges: one may overlap another, or a BAR that enumeration has placed.
void address_map::refuse_overlaps() const {
    struct claim {
        address_range range;
        node_id node = 0;
        bool fixed = false;
    };
    std::vector<claim> claims;
    for (node_id id = 0; id < nodes_.size(); ++id)
        for (const bool fixed : {false, true})
            for (const address_range& r : fixed ? functions_[id].fixed : functions_[id].bars)
                if (r.size != 0) claims.push_back({r, id, fixed});
    std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.range.base < b.range.base; });
    const auto text = [&](const claim& c) {
        return fmt::format("{} {:#x} to {:#x} of '{}'", c.fixed ? "the fixed range" : "the BAR", c.range.base,
                           c.range.last(), nodes_[c.node].name);
    };
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].range.last() < claims[i].range.base)
            throw std::invalid_argument(fmt::format("address_map: {} ends beyond the last address", text(claims[i])));
        if (i != 0 && claims[i].range.base <= claims[i - 1].range.last())
            throw std::invalid_argument(
                fmt::format("address_map: {} and {} overlap", text(claims[i - 1]), text(claims[i])));
    }
}

// ---- numbers

// The buses of a link and its subtree: its own, and one inside each switch.
unsigned address_map::buses_below(const topology& nodes, node_id node) {
    unsigned sum = nodes[node].kind == node_kind::endpoint ? 1 : 2;
    for (const node_id child : nodes[node].children) sum += buses_below(nodes, child);
    return sum;
}

std::optional<address_map::problem> address_map::problem_of(const topology& nodes) {
    for (node_id id = 0; id < nodes.size(); ++id) {
        if (nodes[id].kind != node_kind::root_complex) continue;
        for (const node_id child : nodes[id].children)
            if (const unsigned buses = buses_below(nodes, child); buses >= buses_a_segment)
                return problem{child, fmt::format("'{}' and what is below it take {} PCIe buses; a root port has {}",
                                                  nodes[child].name, buses, buses_a_segment - 1)};
    }
    return std::nullopt;
}

function_id address_map::next_bus() {
    if (buses_ == buses_a_segment) {
        ++segment_;
        buses_ = 0;
    }
    return function_id::of(segment_, buses_++);
}

// Depth first. `self`: the node's function on the link to its parent; meaningless at a root complex.
void address_map::number(node_id node, function_id self) {
    const topology_node& n = nodes_[node];
    if (n.kind == node_kind::endpoint) {
        functions_[node].id = self;
        return;
    }
    if (n.kind == node_kind::machine) {
        for (const node_id child : n.children) {
            const unsigned segment = segment_, bus = buses_;
            number(child, {});
            bridges_[child].first =
                bus == buses_a_segment ? function_id::of(segment + 1, 0) : function_id::of(segment, bus);
            bridges_[child].last = function_id::of(segment_, buses_ - 1, devices_a_bus - 1, 7);
        }
        return;
    }
    // The internal bus: a root complex has its root ports on it, a switch its downstream ports.
    function_id inside = next_bus();
    unsigned device = 0;
    for (const node_id child : n.children) {
        const unsigned buses = buses_below(nodes_, child);
        if (n.kind == node_kind::root_complex && buses_ + buses > buses_a_segment) {
            buses_ = buses_a_segment;  // another segment, with its own bus for its root ports
            inside = next_bus();
            device = 0;
        }
        bridge& b = bridges_[child];
        b.id = function_id::of(inside.segment(), inside.bus(), device % devices_a_bus, device / devices_a_bus);
        ++device;
        const function_id link = next_bus();
        number(child, link);
        b.first = link;
        b.last = function_id::of(segment_, buses_ - 1, devices_a_bus - 1, 7);
    }
}

// ---- addresses

// Ranges in descending order of size leave no gaps between powers of two. Runs twice: for the size, then for the
// addresses.
address_map::need address_map::place_bars(node_id node, bool wide, std::uint64_t base, bool commit) {
    const auto& bars = specs_[node].bars;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < bars.size(); ++i)
        if (bars[i].wide == wide) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return bars[a].size.count > bars[b].size.count; });
    need all;
    for (const std::size_t i : order) {
        const std::uint64_t size = bars[i].size.count;
        if (commit) functions_[node].bars[i] = {base + all.size, size};
        all.size += size;
        all.alignment = std::max(all.alignment, size);
    }
    return all;
}

address_map::need address_map::place(node_id node, bool wide, std::uint64_t base, bool commit) {
    const topology_node& n = nodes_[node];
    need all;
    if (n.kind == node_kind::endpoint) {
        all = place_bars(node, wide, base, commit);
    } else {
        std::vector<need> needs;
        for (const node_id child : n.children) needs.push_back(place(child, wide, 0, false));
        std::vector<std::size_t> order(n.children.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return needs[a].alignment > needs[b].alignment; });
        for (const std::size_t i : order) {
            if (needs[i].size == 0) continue;
            all.size = aligned(all.size, needs[i].alignment);
            if (commit) place(n.children[i], wide, base + all.size, true);
            all.size += needs[i].size;
            all.alignment = std::max(all.alignment, needs[i].alignment);
        }
    }
    if (all.size == 0) return all;
    if (node != 0 && n.kind != node_kind::machine) {
        all.size = aligned(all.size, window_granularity);
        all.alignment = std::max(all.alignment, window_granularity);
        if (commit) (wide ? bridges_[node].wide : bridges_[node].narrow) = {base, all.size};
    }
    return all;
}

void address_map::place_space(bool wide, std::uint64_t base, std::uint64_t end) {
    const need all = place(0, wide, 0, false);
    if (all.size == 0) return;
    const std::uint64_t begin = aligned(base, all.alignment);
    if (begin < base || all.size > end - begin)
        throw std::invalid_argument(fmt::format("address_map: BARs {} take {}; there is room for {}",
                                                wide ? "in 64 bits" : "below 4 GiB", to_text(core::bytes{all.size}),
                                                to_text(core::bytes{end - base})));
    place(0, wide, begin, true);
}

// ---- results

route_table address_map::routes(node_id node) const {
    const bool root = nodes_[node].parent == no_node;
    route_table table(root ? route_table::nowhere : 0);
    unsigned port = root ? 0 : 1;
    for (const node_id child : nodes_[node].children) {
        const bridge& b = bridges_[child];
        for (const address_range& r : {b.narrow, b.wide})
            if (r.size != 0) table.add_window(r.base, r.last(), port);
        std::vector<node_id> below{child};
        while (!below.empty()) {
            const node_id id = below.back();
            below.pop_back();
            for (const address_range& r : functions_[id].fixed) table.add_window(r.base, r.last(), port);
            below.insert(below.end(), nodes_[id].children.begin(), nodes_[id].children.end());
        }
        table.add_functions(b.first, b.last, port);
        ++port;
    }
    return table;
}

std::optional<node_id> address_map::owner(std::uint64_t address) const {
    for (node_id id = 0; id < functions_.size(); ++id) {
        for (const address_range& r : functions_[id].bars)
            if (r.holds(address)) return id;
        for (const address_range& r : functions_[id].fixed)
            if (r.holds(address)) return id;
    }
    return std::nullopt;
}

std::vector<address_map::row> address_map::listing() const {
    std::vector<row> rows;
    std::vector<node_id> stack{0};
    while (!stack.empty()) {
        const node_id id = stack.back();
        stack.pop_back();
        const topology_node& n = nodes_[id];
        stack.insert(stack.end(), n.children.rbegin(), n.children.rend());
        if (n.parent != no_node && n.kind != node_kind::root_complex) {
            const bridge& b = bridges_[id];
            const std::string port = fmt::format("{}.to_{}", nodes_[n.parent].name, n.name);
            const std::string buses = fmt::format("buses {:02x} to {:02x}", b.first.bus(), b.last.bus());
            bool any = false;
            for (const auto& [range, kind] :
                 {std::pair{b.narrow, "window, 32 bit"}, std::pair{b.wide, "window, 64 bit"}})
                if (range.size != 0) {
                    rows.push_back({port, b.id, kind, range, buses, n.depth});
                    any = true;
                }
            if (!any) rows.push_back({port, b.id, "no window", {}, buses, n.depth});
        }
        const function& f = functions_[id];
        for (std::size_t i = 0; i < f.bars.size(); ++i)
            rows.push_back({n.name, f.id, fmt::format("BAR {}", i), f.bars[i], specs_[id].bars[i].use, n.depth + 1});
        for (const address_range& r : f.fixed) rows.push_back({n.name, f.id, "fixed", r, "", n.depth + 1});
    }
    return rows;
}

}  // namespace contraflow::pcie
