// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/link_tree.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "pcie/fabric/fault_check.h"

namespace contraflow::pcie {
namespace {

// Any name is allowed in a tree; names of SystemC objects contain neither dots nor blanks.
std::string instance_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || static_cast<unsigned char>(c) <= ' '; }, '_');
    return name;
}

// What a real port has: the hard IP of Intel's L- and H-tiles, gen3 x16 (user guide 683111, "Flow Control Credit
// Allocation"). An older root port, Intel's Xeon C5500, has 64 headers and 5 KiB for posted writes with 16 lanes, and
// half of it with 8 (data sheet 323103, table 76).
receive_buffer real_buffer(credit_class c) {
    switch (c) {
    case credit_class::posted: return {127, std::uint64_t{750} * bytes_per_data_credit};
    case credit_class::non_posted: return {115, 0};  // buffer_of() knows whether there is one for their data
    case credit_class::completion: return {770, std::uint64_t{2500} * bytes_per_data_credit};
    }
    return {};
}

// A faster link has more under way in the same time. A slower one keeps the buffer: it has less under way, but its
// packets take longer, and silicon does not shrink when lanes are not used.
// Buffers whose size is given grow with the link that they are meant for.
core::bandwidth sized_for(const topology& nodes, node_id link) {
    return {nodes.link_above(link).bytes_per_s / nodes[link].sped_up};
}

double growth(core::bandwidth raw) { return std::max(1.0, raw.bytes_per_s / link_rate{}.raw().bytes_per_s); }

std::uint64_t grown(std::uint64_t reference, double by) {
    return static_cast<std::uint64_t>(static_cast<double>(reference) * by);
}

}  // namespace

link_tree::link_tree(const port::resources& shared, tlp_pool& pool, const address_map& map, const link_tree_spec& s,
                     const make_device& make)
    : shared_(shared),
      pool_(pool),
      map_(map),
      nodes_(map.nodes()),
      spec_(s),
      switches_(nodes_.size()),
      devices_(nodes_.size()) {
    std::uint32_t number = 0;
    for (node_id id = 0; id < nodes_.size(); ++id)
        if (nodes_[id].kind == node_kind::endpoint)
            devices_[id] = &make(id, number++, instance_name(nodes_[id].name), line_spec(id));
        else
            build_switch(id);
    for (node_id id = 1; id < nodes_.size(); ++id) connect(id);
    if (spec_.faults.any()) inject_faults();
}

core::sim_time link_tree::dllp_latency(link_rate rate) const {
    return port::default_dllp_latency(rate, static_cast<std::uint32_t>(spec_.max_payload.count));
}

// The specification's time plus the round trip, which the specification assumes to be short.
core::sim_time link_tree::replay_timeout(link_rate rate) const {
    return port::default_replay_timeout(rate, static_cast<std::uint32_t>(spec_.max_payload.count)) +
           spec_.propagation * 2;
}

// The link between packages has the framing and latencies of the default rate.
link_rate link_tree::rate_of(node_id link) const {
    return nodes_[link].kind == node_kind::root_complex ? link_rate{} : nodes_[link].link;
}

core::sim_time link_tree::latency_of(node_id node) const {
    switch (nodes_[node].kind) {
    case node_kind::endpoint: return spec_.endpoint_latency;
    case node_kind::root_complex: return spec_.root_complex_latency;
    default: return spec_.switch_latency;
    }
}

// The longest time from the first byte of a full TLP until its credits are back, if nothing holds it up: it arrives,
// stays, leaves in smaller pieces, and its update is as late as the specification permits.
core::sim_time link_tree::credits_return(node_id link) const {
    const link_rate rate = rate_of(link);
    const framing f = framing::of(rate.generation);
    const core::bytes full{std::max(spec_.max_payload, spec_.read_completion_boundary).count + f.tlp + 16 + f.dllp};
    const core::sim_time packet = nodes_.link_above(link).time_of(full);
    return packet * 3 + spec_.propagation * 2 + std::max(latency_of(link), latency_of(nodes_[link].parent)) +
           dllp_latency(rate);
}

receive_buffer link_tree::usual_buffer(credit_class c, node_id link) const {
    const core::bandwidth raw = nodes_.link_above(link);
    const receive_buffer real = real_buffer(c);
    const double by = growth(raw);
    const double carried = raw.bytes_per_s * credits_return(link).seconds();
    constexpr double least_packet = 64;  // with data
    return {std::max(grown(real.headers, by), static_cast<std::uint64_t>(carried / least_packet) + 1),
            std::max(grown(real.data_bytes, by), static_cast<std::uint64_t>(carried)) / bytes_per_data_credit *
                bytes_per_data_credit};
}

receive_buffer link_tree::buffer_of(credit_class c, node_id link) const {
    const auto [headers, data, packet] = [&]() -> std::tuple<std::uint64_t, core::bytes, core::bytes> {
        switch (c) {
        case credit_class::posted: return {spec_.posted_headers, spec_.posted_data, spec_.max_payload};
        case credit_class::non_posted: return {spec_.non_posted_headers, spec_.non_posted_data, spec_.max_payload};
        case credit_class::completion: break;
        }
        return {spec_.completion_headers, spec_.completion_data, spec_.read_completion_boundary};
    }();
    receive_buffer b = usual_buffer(c, link);
    const core::bandwidth raw = sized_for(nodes_, link);
    const double by = growth(raw);
    if (headers != 0) b.headers = grown(headers, by);
    if (data.count != 0) {
        const bool reference = raw.bytes_per_s == link_rate{}.raw().bytes_per_s;
        const std::uint64_t least = reference ? packet.count : 2 * packet.count;
        b.data_bytes = std::max(grown(data.count, by), least) / bytes_per_data_credit * bytes_per_data_credit;
    } else if (c == credit_class::non_posted) {
        b.data_bytes = 0;
    }
    return b;
}

port::spec link_tree::line_spec(node_id link) const {
    const link_rate rate = rate_of(link);
    port::spec s;
    s.raw = nodes_.link_above(link);
    s.overhead = framing::of(rate.generation);
    s.propagation = spec_.propagation;
    for (const auto c : all_credit_classes) s.buffers[static_cast<std::size_t>(c)] = buffer_of(c, link);
    s.replay_tlps = grown(spec_.replay_tlps, growth(sized_for(nodes_, link)));
    s.dllp_latency = dllp_latency(rate);
    s.replay_timeout = replay_timeout(rate);
    return s;
}

unsigned link_tree::port_towards(node_id from, node_id to) const {
    // Ports of a switch: 0 is the upstream port (if it has a parent), then its children in order.
    const unsigned first_child = nodes_[from].parent == no_node ? 0 : 1;
    while (nodes_[to].depth > nodes_[from].depth) {
        if (nodes_[to].parent == from) {
            const auto& children = nodes_[from].children;
            return first_child +
                   static_cast<unsigned>(std::find(children.begin(), children.end(), to) - children.begin());
        }
        to = nodes_[to].parent;
    }
    return 0;
}

void link_tree::build_switch(node_id id) {
    const topology_node& node = nodes_[id];
    pcie_switch::spec s;
    if (node.parent != no_node) s.ports.push_back({"up", line_spec(id)});
    for (const node_id child : node.children)
        s.ports.push_back({instance_name(fmt::format("to_{}", nodes_[child].name)), line_spec(child)});
    s.mode = spec_.switching;
    s.latency = spec_.switch_latency;
    if (node.kind == node_kind::root_complex) {
        s.latency = spec_.root_complex_latency;
        s.split = static_cast<std::uint32_t>(spec_.root_complex_payload.count);
    }
    for (const auto& a : spec_.arbitration)
        if (a.node == node.name) s.weights = a.weights;
    s.id = map_.above(id).first;  // its upper port is the first function below the link above
    switches_[id] = std::make_unique<pcie_switch>(instance_name(node.name).c_str(), shared_, pool_, s, map_.routes(id));
}

port& link_tree::sender(port_id id) {
    if (id.up) return devices_[id.node] ? devices_[id.node]->link() : switches_[id.node]->at(0);
    const node_id parent = nodes_[id.node].parent;
    return switches_[parent]->at(port_towards(parent, id.node));
}

const port& link_tree::sender(port_id id) const { return const_cast<link_tree*>(this)->sender(id); }

void link_tree::connect(node_id child) {
    port& below = sender({child, true});
    port& above = sender({child, false});
    below.tx.bind(above.rx);
    above.tx.bind(below.rx);
    below.set_peer_name(above.name());
    above.set_peer_name(below.name());
}

void link_tree::inject_faults() {
    if (const auto wrong = problems_of(spec_.faults, nodes_); !wrong.empty())
        throw std::invalid_argument("pcie: faults: " + config::first_text(wrong));
    for (node_id id = 1; id < nodes_.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id direction{id, up};
            injectors_.push_back(std::make_unique<fault_injector>(spec_.faults, nodes_.port_name(direction)));
            sender(direction).set_faults(injectors_.back().get());
        }
    buffer_injectors_.resize(nodes_.size());
    for (node_id id = 0; id < nodes_.size(); ++id) {
        auto injector = std::make_unique<buffer_fault_injector>(spec_.faults, nodes_[id].name);
        if (!injector->any()) continue;
        switches_[id]->set_buffer_faults(injector.get());
        buffer_injectors_[id] = std::move(injector);
    }
    for (std::size_t i = 0; i < spec_.faults.downgrades.size(); ++i)
        shared_.events.at(spec_.faults.downgrades[i].at, core::callback::to<&link_tree::lose_lanes>(*this, i));
}

void link_tree::lose_lanes(std::uint64_t number) {
    const downgrade& d = spec_.faults.downgrades[number];
    const auto node = nodes_.find(d.node);
    for (const bool up : {true, false})
        sender({*node, up}).retrain(d.to.raw(), dllp_latency(d.to), replay_timeout(d.to), d.retrain);
}

std::vector<std::string> link_tree::unmet_faults(core::sim_time end) const {
    std::vector<std::string> texts;
    std::size_t i = 0;
    for (node_id id = 1; id < nodes_.size() && !injectors_.empty(); ++id)
        for (const bool up : {true, false}) injectors_[i++]->append_unmet(nodes_.port_name({id, up}), texts);
    for (node_id id = 0; id < buffer_injectors_.size(); ++id)
        if (buffer_injectors_[id]) buffer_injectors_[id]->append_unmet(nodes_[id].name, texts);
    for (const auto& d : spec_.faults.downgrades)
        if (d.at > end)
            texts.push_back(fmt::format("the link above {} was to retrain at {}, and the last byte arrived at {}",
                                        d.node, to_text(d.at), to_text(end)));
    return texts;
}

bool link_tree::control(core::control_verb verb) {
    bool done = true;
    for (node_id id = 0; id < nodes_.size(); ++id)
        done = (devices_[id] ? devices_[id]->control(verb) : switches_[id]->control(verb)) && done;
    if (verb == core::control_verb::reset) {
        for (node_id id = 1; id < nodes_.size(); ++id)
            for (const bool up : {true, false}) sender({id, up}).advertise();
    }
    return done;
}

void link_tree::observer_list::tlp_sent(unsigned id, const tlp& packet, core::sim_time begin, core::sim_time end,
                                        bool again, bool corrupted) {
    for (port_observer_if* o : all_) o->tlp_sent(id, packet, begin, end, again, corrupted);
}

void link_tree::observer_list::dllps_sent(unsigned id, unsigned count, core::sim_time begin, core::sim_time end) {
    for (port_observer_if* o : all_) o->dllps_sent(id, count, begin, end);
}

void link_tree::observer_list::changed(unsigned id, const port& p, core::sim_time now) {
    for (port_observer_if* o : all_) o->changed(id, p, now);
}

void link_tree::add_observer(port_observer_if& observer) {
    observers_.add(observer);
    for (node_id id = 1; id < nodes_.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id direction{id, up};
            sender(direction).set_observer(&observers_, static_cast<unsigned>(direction.index()));
        }
}

std::uint64_t link_tree::tlps_moved() const {
    std::uint64_t sum = 0;
    for (node_id id = 1; id < nodes_.size(); ++id)
        for (const bool up : {false, true}) sum += sender({id, up}).statistics().accepted_tlps.value();
    return sum;
}

std::uint64_t link_tree::unclaimed() const {
    std::uint64_t sum = 0;
    for (const auto& s : switches_)
        if (s) sum += s->unclaimed();
    return sum;
}

// A device's link waits for its answers no longer than the request itself has been on its way: where the next port does
// not take it, the chain goes along the switches.
void link_tree::report_waits(std::vector<core::wait_edge>& edges) const {
    std::vector<core::wait_edge> in_switches;
    for (const auto& s : switches_)
        if (s) s->report_waits(in_switches);
    for (device_if* const d : devices_) {
        if (d == nullptr) continue;
        const port& self = d->link();
        if (std::ranges::any_of(in_switches, [&](const auto& e) { return e.waiter == self.peer_name(); })) continue;
        std::vector<open_request> open;
        self.owner().report_open_requests(open);
        std::vector<node_id> named;
        for (const open_request& r : open) {  // the oldest first
            const auto by = map_.owner(r.address);
            if (!by || devices_[*by] == nullptr || std::ranges::find(named, *by) != named.end()) continue;
            named.push_back(*by);
            edges.push_back({self.name(), "completions", devices_[*by]->link().name(), r.since});
        }
    }
}

// The tree comes first: of two waits that began at the same time, a chain follows the one that was reported first.
std::vector<const core::waiter_if*> link_tree::waiters() const {
    std::vector<const core::waiter_if*> all{this};
    for (node_id id = 0; id < nodes_.size(); ++id)
        if (devices_[id])
            all.push_back(devices_[id]);
        else
            all.push_back(switches_[id].get());
    return all;
}

void link_tree::check(observe::conservation& checks) const {
    std::uint64_t sent = 0;
    std::uint64_t accepted = 0;
    std::uint64_t lacking = 0;
    for (node_id id = 1; id < nodes_.size(); ++id)
        for (const bool up : {false, true}) {
            const port& p = sender({id, up});
            sent += p.statistics().tlps.value();
            accepted += p.statistics().accepted_tlps.value();
            if (!p.idle()) ++lacking;
        }
    checks.check("TLPs sent and accepted, all links", "TLPs", sent, accepted);
    checks.check("ports with credits, acknowledgements or TLPs outstanding", "ports", 0, lacking);
    checks.check("TLPs never released", "TLPs", 0, pool_.in_flight());
}

}  // namespace contraflow::pcie
