// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/bottleneck.h"

#include <algorithm>

#include <fmt/format.h>

#include "pcie_study/time_scale.h"

namespace contraflow::pcie_study {
namespace {

constexpr double as_busy = 0.95;         // links at this share of the busiest one's load count as its equals
constexpr double nearly_as_busy = 0.75;  // links that limit next
constexpr double saturated = 0.5;        // below it, several links at once are no cause
constexpr double worth_it = 0.05;        // less time than this saved is next to nothing
constexpr std::size_t most_named = 3;
constexpr std::size_t most_named_behind = 8;  // other links that a change makes faster
constexpr std::size_t most_alone = 4;         // links that are tried one by one

// The same tree with twice the rate of these links, in both directions: twice the lanes, which may be more than PCIe
// has.
pcie::topology with_doubled(const pcie::topology& tree, const std::vector<link_load>& loads) {
    std::vector<bool> doubled(tree.size());
    bool between_sockets = false;  // all links between packages have one rate
    for (const auto& l : loads) {
        doubled[l.port.node] = true;
        between_sockets = between_sockets || tree[l.port.node].kind == pcie::node_kind::root_complex;
    }
    pcie::topology changed;
    for (pcie::node_id id = 0; id < tree.size(); ++id) {
        pcie::topology_node node = tree[id];
        node.children.clear();
        if (doubled[id]) node.link.lanes *= 2;
        if (doubled[id] || (between_sockets && node.kind == pcie::node_kind::root_complex)) node.sped_up = 2;
        changed.add(std::move(node), tree[id].parent);
    }
    changed.socket_link = tree.socket_link;
    if (between_sockets) changed.socket_link->bytes_per_s *= 2.0;
    return changed;
}

std::string names(const pcie::topology& tree, const std::vector<link_load>& loads, std::size_t most) {
    std::string text;
    const std::size_t shown = loads.size() <= most ? loads.size() : most - 1;
    for (std::size_t i = 0; i < shown; ++i) {
        const bool last = i + 1 == loads.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + tree.port_name(loads[i].port);
    }
    if (shown < loads.size()) text += fmt::format(" and {} more", loads.size() - shown);
    return text;
}

bool among(const std::vector<link_load>& loads, pcie::port_id port) {
    return std::any_of(loads.begin(), loads.end(), [port](const link_load& l) { return l.port == port; });
}

// "twice their rate and that of b0.down and b1.down"
std::string change_text(const pcie::topology& tree, const std::vector<link_load>& named,
                        const std::vector<link_load>& doubled) {
    std::vector<link_load> others;  // a link is named once: both of its directions are faster
    for (const auto& l : doubled) {
        const pcie::port_id back{l.port.node, !l.port.up};
        if (!among(named, l.port) && !among(named, back) && !among(others, back)) others.push_back(l);
    }
    return fmt::format("twice {} rate{}", named.size() == 1 ? "its" : "their",
                       others.empty() ? "" : " and that of " + names(tree, others, most_named_behind));
}

// The links between packages have one rate: all of them are faster, or none.
std::vector<link_load> with_all_between_sockets(const pcie::topology& tree, std::vector<link_load> some,
                                                const std::vector<link_load>& all) {
    const auto between_sockets = [&](const link_load& l) {
        return tree[l.port.node].kind == pcie::node_kind::root_complex;
    };
    if (std::any_of(some.begin(), some.end(), between_sockets))
        for (const auto& l : all)
            if (between_sockets(l) && !among(some, l.port)) some.push_back(l);
    return some;
}

// These links, and those that what passes them takes after them.
std::vector<link_load> with_links_behind(const pcie::topology& tree, const std::vector<link_load>& loads,
                                         const std::vector<pcie::model::communication>& sends) {
    std::vector<link_load> all = loads;
    for (const auto& c : sends) {
        const auto route = tree.path(c.from, c.to);
        if (!route) continue;
        bool passed = false;
        for (const pcie::port_id port : route->ports) {
            if (passed && !among(all, port)) all.push_back({port, 0.0});
            passed = passed || among(loads, port);
        }
    }
    return all;
}

bool makes_no_difference(const bottleneck& b) { return b.end_s / b.changed_s < 1.005; }

}  // namespace

std::optional<bottleneck> find_bottleneck(const pcie::topology& tree,
                                          const std::vector<pcie::model::communication>& sends,
                                          std::vector<link_load> loads, double end_s, const run_on& run,
                                          const std::vector<remedy>& remedies) {
    std::erase_if(loads, [](const link_load& l) { return l.busy <= 0.0; });
    if (loads.empty() || end_s <= 0.0) return std::nullopt;
    std::stable_sort(loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
    const double busy = loads.front().busy;
    const auto down_to = [&](double share) {
        std::vector<link_load> some;
        for (const auto& l : loads)
            if (l.busy >= busy * share) some.push_back(l);
        return some;
    };

    std::optional<bottleneck> best;
    const auto is_better = [&](double took) { return !best || took < best->changed_s * (1.0 - worth_it); };
    std::size_t tried = 0;
    // False: a run was stopped.
    const auto twice = [&](const std::vector<link_load>& named, const std::vector<link_load>& wanted) {
        const auto doubled = with_all_between_sockets(tree, wanted, loads);
        if (doubled.size() == tried) return true;
        tried = doubled.size();
        const auto took = run(with_doubled(tree, doubled));
        if (!took) return false;
        if (!is_better(*took)) return true;
        const std::string most = fmt::format("{:.0f}", busy * 100);
        const std::string least = fmt::format("{:.0f}", named.back().busy * 100);
        best = bottleneck{fmt::format("{} at {} %", names(tree, named, most_named),
                                      least == most ? most : fmt::format("{} to {}", least, most)),
                          change_text(tree, named, doubled),
                          {},
                          {},
                          busy,
                          end_s,
                          *took};
        for (const auto& l : named) best->links.push_back(l.port);
        for (const auto& l : doubled) best->doubled.push_back(l.port);
        return true;
    };
    if (const auto top = std::vector{loads.front()}; !twice(top, top)) return std::nullopt;
    const auto go_on = [&] { return busy >= saturated && best->changed_s > end_s * (1.0 - worth_it); };
    if (const auto equals = down_to(as_busy); go_on() && !twice(equals, equals)) return std::nullopt;
    // Many links at once hide that one of them would do, which need not be among the busiest: inputs of a switch take
    // turns by the TLP, so that a narrow link holds up its neighbours.
    if (go_on()) {
        const auto next = down_to(nearly_as_busy);
        if (!twice(next, with_links_behind(tree, next, sends))) return std::nullopt;
        for (std::size_t i = 1; i < loads.size() && i <= most_alone; ++i) {
            const std::vector<link_load> one{loads[i]};
            if (with_all_between_sockets(tree, one, loads).size() > 1) continue;  // they have one rate
            const auto took = run(with_doubled(tree, one));
            if (!took) return std::nullopt;
            if (*took < (best->alone ? best->alone->changed_s : end_s) * (1.0 - worth_it))
                best->alone = bottleneck::single{tree.port_name(loads[i].port), *took};
        }
    }
    for (const auto& r : remedies) {
        const auto took = r.run();
        if (!took) return std::nullopt;
        if (is_better(*took)) best = bottleneck{r.limit, r.change, {}, {}, busy, end_s, *took, {}, best->alone};
    }
    return best;
}

std::vector<pcie::port_id> limiting_links(const std::optional<bottleneck>& b) {
    return b && !makes_no_difference(*b) ? b->links : std::vector<pcie::port_id>{};
}

std::string to_text(const bottleneck& b) {
    // At the end, where "their rate" can't be read as that of the links that wait.
    const std::string waits = b.waits.empty() ? "" : fmt::format("; {}", b.waits);
    if (makes_no_difference(b))
        return fmt::format("no link limits it: the busiest is {}, and {} would give {}, no less{}", b.limit, b.change,
                           time_text(b.changed_s), waits);
    const std::string alone = b.alone ? fmt::format("; twice the rate of {} alone, {}, {:.2f} times", b.alone->name,
                                                    time_text(b.alone->changed_s), b.end_s / b.alone->changed_s)
                                      : "";
    return fmt::format("limited by {}; {} would give {}, {:.2f} times as fast{}{}", b.limit, b.change,
                       time_text(b.changed_s), b.end_s / b.changed_s, alone, waits);
}

nlohmann::ordered_json to_json(const pcie::topology& tree, const bottleneck& b) {
    const auto named = [&](const std::vector<pcie::port_id>& ports) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& p : ports) list.push_back(tree.port_name(p));
        return list;
    };
    nlohmann::ordered_json j{
        {"limit", b.limit},   {"links", named(limiting_links(b))}, {"busy", b.busy},
        {"change", b.change}, {"changed_links", named(b.doubled)}, {"changed_ms", b.changed_s * 1e3}};
    if (!b.waits.empty()) j["waits"] = b.waits;
    if (b.alone) j["alone"] = {{"link", b.alone->name}, {"changed_ms", b.alone->changed_s * 1e3}};
    return j;
}

}  // namespace contraflow::pcie_study
