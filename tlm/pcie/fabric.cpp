// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

std::uint32_t pool_payload(const fabric_spec& s) {
    return static_cast<std::uint32_t>(std::max(s.max_payload, s.read_completion_boundary).count);
}

// Names of a tree are free; those of SystemC's objects hold neither dots nor blanks.
std::string instance_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || static_cast<unsigned char>(c) <= ' '; }, '_');
    return name;
}

}  // namespace

fabric::fabric(core::simulation& simulation, const topology& tree, const fabric_spec& s, std::vector<stream> streams)
    : tree_(tree),
      spec_(s),
      pool_(pool_payload(s)),
      events_(simulation.events()),
      endpoint_nodes_(tree.endpoints()),
      endpoint_number_(tree.size(), no_node),
      streams_(std::move(streams)),
      switches_(tree.size()),
      endpoints_(tree.size()) {
    for (std::uint32_t i = 0; i < endpoint_nodes_.size(); ++i) endpoint_number_[endpoint_nodes_[i]] = i;
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        stream& s_i = streams_[i];
        s_i.from = endpoint_number_[s_i.from];
        s_i.to = endpoint_number_[s_i.to];
        s_i.key = (i + 1) * 0xd1342543de82ef95u;
    }
    for (node_id id = 0; id < tree_.size(); ++id)
        if (tree_[id].kind == node_kind::endpoint)
            build_endpoint(id);
        else
            build_switch(id);
    for (node_id id = 1; id < tree_.size(); ++id) connect(id);
    if (spec_.faults.any()) inject_faults();

    std::vector<std::uint32_t> order(streams_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return streams_[a].start < streams_[b].start; });
    for (const auto i : order) {
        starts_.push_back(streams_[i].start);
        const auto engine = spec_.transfers == transfer_mode::push ? streams_[i].from : streams_[i].to;
        endpoints_[endpoint_nodes_[engine]]->add(i);
    }
}

core::sim_time fabric::dllp_latency(link_rate rate) const {
    return port::default_dllp_latency(rate, static_cast<std::uint32_t>(spec_.max_payload.count));
}

// The specification's, and the way there and back, which it takes to be short.
core::sim_time fabric::replay_timeout(link_rate rate) const {
    return port::default_replay_timeout(rate, static_cast<std::uint32_t>(spec_.max_payload.count)) +
           spec_.propagation * 2;
}

port::spec fabric::line_spec(node_id link) const {
    const bool between_packages = tree_[link].kind == node_kind::root_complex;
    const link_rate rate = between_packages ? link_rate{} : tree_[link].link;
    port::spec s;
    s.raw = tree_.link_above(link);
    s.overhead = framing::of(rate.generation);
    s.propagation = spec_.propagation;
    const double scale = s.raw.bytes_per_s / link_rate{}.raw().bytes_per_s;
    const auto data = [&](core::bytes reference, core::bytes packet) {
        const auto scaled = static_cast<std::uint64_t>(static_cast<double>(reference.count) * scale);
        const auto least = scale == 1.0 ? packet.count : 2 * packet.count;
        return std::max(scaled, least) / bytes_per_data_credit * bytes_per_data_credit;
    };
    // A faster link has more packets under way in the same time.
    const auto packets = [&](std::uint64_t reference) {
        return std::max(reference, static_cast<std::uint64_t>(static_cast<double>(reference) * scale));
    };
    s.buffers = {
        receive_buffer{packets(spec_.posted_headers), data(spec_.posted_data, spec_.max_payload)},
        receive_buffer{packets(spec_.non_posted_headers), 0},
        receive_buffer{packets(spec_.completion_headers), data(spec_.completion_data, spec_.read_completion_boundary)}};
    s.replay_tlps = packets(spec_.replay_tlps);
    s.dllp_latency = dllp_latency(rate);
    s.replay_timeout = replay_timeout(rate);
    return s;
}

unsigned fabric::port_towards(node_id from, node_id to) const {
    // Ports of a switch: 0 upwards (if it has a parent), then its children in order.
    const unsigned first_child = tree_[from].parent == no_node ? 0 : 1;
    while (tree_[to].depth > tree_[from].depth) {
        if (tree_[to].parent == from) {
            const auto& children = tree_[from].children;
            return first_child +
                   static_cast<unsigned>(std::find(children.begin(), children.end(), to) - children.begin());
        }
        to = tree_[to].parent;
    }
    return 0;
}

void fabric::build_switch(node_id id) {
    const topology_node& node = tree_[id];
    pcie_switch::spec s;
    if (node.parent != no_node) s.ports.push_back({"up", line_spec(id)});
    for (const node_id child : node.children)
        s.ports.push_back({instance_name(fmt::format("to_{}", tree_[child].name)), line_spec(child)});
    s.mode = spec_.switching;
    s.latency = spec_.switch_latency;
    if (node.kind == node_kind::root_complex) {
        s.latency = spec_.root_complex_latency;
        s.split = static_cast<std::uint32_t>(spec_.root_complex_payload.count);
    }
    for (const auto& a : spec_.arbitration)
        if (a.node == node.name) s.weights = a.weights;
    std::vector<unsigned> routes;
    for (const node_id target : endpoint_nodes_) routes.push_back(port_towards(id, target));
    switches_[id] = std::make_unique<pcie_switch>(instance_name(node.name).c_str(),
                                                  port::resources{events_, statistics_}, pool_, s, std::move(routes));
}

void fabric::build_endpoint(node_id id) {
    endpoint::spec s;
    s.link = line_spec(id);
    s.dma = {spec_.transfers, static_cast<std::uint32_t>(spec_.max_payload.count),
             static_cast<std::uint32_t>(spec_.max_read_request.count), spec_.tags};
    s.read_completion_boundary = static_cast<std::uint32_t>(spec_.read_completion_boundary.count);
    s.latency = spec_.endpoint_latency;
    endpoints_[id] =
        std::make_unique<endpoint>(instance_name(tree_[id].name).c_str(), port::resources{events_, statistics_}, pool_,
                                   s, endpoint_number_[id], streams_);
}

port& fabric::sender(port_id id) {
    if (id.up) return endpoints_[id.node] ? endpoints_[id.node]->link() : switches_[id.node]->at(0);
    const node_id parent = tree_[id.node].parent;
    return switches_[parent]->at(port_towards(parent, id.node));
}

const port& fabric::sender(port_id id) const { return const_cast<fabric*>(this)->sender(id); }

void fabric::connect(node_id child) {
    port& below = sender({child, true});
    port& above = sender({child, false});
    below.tx.bind(above.rx);
    above.tx.bind(below.rx);
    below.set_peer_name(above.name());
    above.set_peer_name(below.name());
}

void fabric::inject_faults() {
    for (node_id id = 1; id < tree_.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id direction{id, up};
            injectors_.push_back(std::make_unique<fault_injector>(spec_.faults, tree_.port_name(direction)));
            sender(direction).set_faults(injectors_.back().get());
        }
    for (std::size_t i = 0; i < spec_.faults.downgrades.size(); ++i)
        events_.at(
            spec_.faults.downgrades[i].at,
            [](void* self, std::uint64_t n) { static_cast<fabric*>(self)->lose_lanes(n); }, this, i);
}

void fabric::lose_lanes(std::uint64_t number) {
    const downgrade& d = spec_.faults.downgrades[number];
    const auto node = tree_.find(d.node);
    const auto rate = parse_link_rate(d.to);
    for (const bool up : {true, false})
        sender({*node, up}).retrain(rate->raw(), dllp_latency(*rate), replay_timeout(*rate), d.retrain);
}

std::vector<std::string> fabric::unmet_faults(core::sim_time end) const {
    std::vector<std::string> texts;
    std::size_t i = 0;
    for (node_id id = 1; id < tree_.size() && !injectors_.empty(); ++id)
        for (const bool up : {true, false}) injectors_[i++]->append_unmet(tree_.port_name({id, up}), texts);
    for (const auto& d : spec_.faults.downgrades)
        if (d.at > end)
            texts.push_back(fmt::format("the link above {} was to retrain at {}, and the last byte arrived at {}",
                                        d.node, to_text(d.at), to_text(end)));
    return texts;
}

std::uint64_t fabric::largest_payload(tlp_kind kind) const {
    switch (kind) {
    case tlp_kind::memory_write: break;
    case tlp_kind::memory_read: return spec_.max_read_request.count;
    case tlp_kind::completion: return spec_.read_completion_boundary.count;
    }
    return spec_.max_payload.count;
}

bool fabric::control(core::control_verb verb) {
    bool done = true;
    for (node_id id = 0; id < tree_.size(); ++id)
        done = (endpoints_[id] ? endpoints_[id]->control(verb) : switches_[id]->control(verb)) && done;
    if (verb == core::control_verb::reset) {
        streams_.abandon();
        for (node_id id = 1; id < tree_.size(); ++id)
            for (const bool up : {true, false}) sender({id, up}).advertise();
    }
    return done;
}

void fabric::set_observer(port_observer_if& observer) {
    for (node_id id = 1; id < tree_.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id direction{id, up};
            sender(direction).set_observer(&observer, static_cast<unsigned>(direction.index()));
        }
}

std::uint64_t fabric::tlps_moved() const {
    std::uint64_t sum = 0;
    for (node_id id = 1; id < tree_.size(); ++id)
        for (const bool up : {false, true}) sum += sender({id, up}).statistics().accepted_tlps.value();
    return sum;
}

std::uint64_t fabric::streams_left() const {
    std::uint64_t left = streams_.size();
    for (const auto& e : endpoints_)
        if (e) left -= e->finished_streams();
    return left;
}

std::uint64_t fabric::streams_outstanding() const {
    const auto begun = std::upper_bound(starts_.begin(), starts_.end(), events_.now()) - starts_.begin();
    return streams_left() - (streams_.size() - static_cast<std::uint64_t>(begun));
}

std::uint64_t fabric::bytes_delivered() const {
    std::uint64_t sum = 0;
    for (const auto& e : endpoints_)
        if (e) sum += e->delivered_bytes();
    return sum;
}

std::vector<const core::waiter_if*> fabric::waiters() const {
    std::vector<const core::waiter_if*> all;
    for (node_id id = 0; id < tree_.size(); ++id)
        if (endpoints_[id])
            all.push_back(endpoints_[id].get());
        else
            all.push_back(switches_[id].get());
    return all;
}

double fabric::utilisation(port_id id, core::sim_time end) const {
    return end.ps == 0 ? 0 : static_cast<double>(sender(id).line().busy().ps) / static_cast<double>(end.ps);
}

void fabric::check(observe::conservation& checks) const {
    for (const auto& s : streams_.all()) {
        checks.check(s.name + ": bytes sent and delivered", "bytes", s.size.count, s.delivered);
        checks.check(s.name + ": bytes changed, doubled or out of order", "bytes", 0, s.wrong);
    }
    std::uint64_t sent = 0;
    std::uint64_t accepted = 0;
    std::uint64_t lacking = 0;
    for (node_id id = 1; id < tree_.size(); ++id)
        for (const bool up : {false, true}) {
            const port& p = sender({id, up});
            sent += p.statistics().tlps.value();
            accepted += p.statistics().accepted_tlps.value();
            if (!p.at_rest()) ++lacking;
        }
    checks.check("TLPs sent and accepted, all links", "TLPs", sent, accepted);
    checks.check("ports with credits, acknowledgements or TLPs outstanding", "ports", 0, lacking);
    checks.check("TLPs never released", "TLPs", 0, pool_.in_flight());
    std::uint64_t unexpected = 0;
    for (const auto& e : endpoints_)
        if (e) unexpected += e->unexpected_tlps();
    checks.check("TLPs nobody asked for", "TLPs", 0, unexpected);
}

}  // namespace contraflow::pcie
