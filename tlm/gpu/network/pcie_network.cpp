// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/pcie_network.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::gpu {

namespace {

unsigned two_or_more(const memory::address_map& memory) {
    if (memory.sockets() < 2) throw std::invalid_argument("pcie_network: a network joins two GPUs or more");
    return memory.sockets();
}

// Nodes of GPUs; the host's comes after them.
std::vector<pcie::node_id> gpus_of(const pcie::topology& nodes, const memory::address_map& memory) {
    auto all = nodes.endpoints();
    all.resize(memory.sockets());
    return all;
}

std::vector<pcie::function_spec> functions_of(const pcie::topology& nodes, const memory::address_map& memory) {
    std::vector<pcie::function_spec> all(nodes.size());
    const bool with_host = nodes.endpoints().size() > memory.sockets();
    for (const pcie::node_id gpu : gpus_of(nodes, memory)) {
        all[gpu].bars = {{{std::bit_ceil(memory.memory_per_socket().count)}, true, "memory"}};
        if (with_host) all[gpu].bars.push_back({command_bar, false, "commands"});
    }
    if (with_host) all[nodes.endpoints().back()] = pcie_host::place();
    return all;
}

std::vector<pcie::address_map::function> in_order(const pcie::address_map& map,
                                                  const std::vector<pcie::node_id>& gpus) {
    std::vector<pcie::address_map::function> all;
    for (const pcie::node_id gpu : gpus) all.push_back(map.at(gpu));
    return all;
}

}  // namespace

pcie_network::pcie_network(const sc_core::sc_module_name& name, const pcie::port::resources& shared,
                           const pcie_network_spec& s, const memory::address_map& memory)
    : sc_core::sc_module(name),
      spec_(s),
      nodes_(s.tree(two_or_more(memory))),
      gpus_(gpus_of(nodes_, memory)),
      memory_(memory),
      map_(nodes_, functions_of(nodes_, memory_)),
      places_{memory_, in_order(map_, gpus_)},
      packets_(static_cast<std::uint32_t>(std::max(s.max_payload, s.read_completion_boundary).count)) {
    tree_ = std::make_unique<pcie::link_tree>(
        shared, packets_, map_, spec_,
        [&](pcie::node_id id, std::uint32_t number, const std::string& node,
            const pcie::port::spec& line) -> pcie::device_if& {
            pcie_port::spec p;
            p.queue = spec_.queue;
            p.device.link = line;
            p.device.latency = spec_.endpoint_latency;
            p.device.requests.max_payload = static_cast<std::uint32_t>(spec_.max_payload.count);
            p.device.requests.max_read_request = static_cast<std::uint32_t>(spec_.max_read_request.count);
            p.device.requests.tags = spec_.tags;
            p.device.requests.completion_timeout = spec_.completion_timeout;
            p.device.answers.read_completion_boundary =
                static_cast<std::uint32_t>(spec_.read_completion_boundary.count);
            p.device.requests.relaxed = true;
            if (number >= gpus_.size()) {
                std::vector<std::uint64_t> bars;
                for (const auto& f : places_.functions) bars.push_back(f.bars[1].base);
                host_ = std::make_unique<pcie_host>(node.c_str(), shared, packets_, p.device, map_.at(id), *spec_.host,
                                                    std::move(bars));
                return *host_;
            }
            return *ports_.emplace_back(
                std::make_unique<pcie_port>(node.c_str(), shared, packets_, p, number, places_));
        });
}

unsigned pcie_network::hops(unsigned from, unsigned to) const {
    return static_cast<unsigned>(nodes_.path(gpus_[from], gpus_[to])->ports.size());
}

core::sim_time pcie_network::latency(unsigned from, unsigned to) const {
    if (from == to) return {};
    const pcie::route way = *nodes_.path(gpus_[from], gpus_[to]);
    const auto links = static_cast<unsigned>(way.ports.size());
    core::sim_time sum = spec_.propagation * links + spec_.endpoint_latency;
    if (way.crosses_root_complex)
        sum += spec_.root_complex_latency + spec_.switch_latency * (links - 2);
    else
        sum += spec_.switch_latency * (links - 1);
    return sum;
}

bool pcie_network::control(core::control_verb verb) { return tree_->control(verb); }

std::uint64_t pcie_network::outstanding() const {
    std::uint64_t sum = 0;
    for (const auto& p : ports_) sum += p->bridge().outstanding();
    return sum;
}

void pcie_network::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const core::waiter_if* const w : tree_->waiters()) w->report_waits(edges);
    for (const auto& p : ports_)
        for (unsigned to = 0; to < ports_.size(); ++to)
            // A request that has not reached its target GPU is held up by the tree.
            if (const auto n = p->outstanding_to(to); n != 0 && ports_[to]->waits_for_client())
                edges.push_back(
                    {p->name(), fmt::format("answers to {} requests", n), ports_[to]->name(), p->last_sent()});
}

void pcie_network::check(observe::conservation& checks) const {
    for (const auto& p : ports_) p->bridge().check(checks);
    checks.check(fmt::format("{}: requests that no window claims", name()), "TLPs", 0, tree_->unclaimed());
    tree_->check(checks);
}

}  // namespace contraflow::gpu
