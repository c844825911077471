// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/pcie_network.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::gpu {

pcie_network_spec::pcie_network_spec() {
    switch_latency = root_complex_latency = core::sim_time::from_ns(140);
    tags = 256;
    non_posted_data = {4096};
}

void pcie_network_spec::describe(config::fields<pcie_network_spec>& f) {
    using core::bytes;
    using spec = pcie_network_spec;
    f("link", &spec::link)
        .check([](const std::string& text) { return pcie::parse_link_rate(text).has_value(); },
               "a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen4 x16'")
        .text("of every link of the tree");
    f("gpus_a_switch", &spec::gpus_a_switch)
        .in(0, 32)
        .unit("GPUs")
        .text("below each switch; 0: there are none, GPUs are below the root complex");
    f("queue", &spec::queue).in(1, 65536).unit("packets").text("of each class that wait for a GPU's link");
    f("max_payload", &spec::max_payload).in(bytes{64}, bytes{4096}).power_of_two().text("payload of a write");
    f("read_completion_boundary", &spec::read_completion_boundary)
        .in(bytes{64}, bytes{4096})
        .power_of_two()
        .text("payload of a completion");
    f("tags", &spec::tags).in(1, 1024).text("reads, writes and atomic operations of a GPU that are under way");
    f("root_complex_payload", &spec::root_complex_payload)
        .in(bytes{16}, bytes{4096})
        .power_of_two()
        .text("largest payload that the root complex forwards in one TLP");
    f("propagation", &spec::propagation).text("of every link, from end to end");
    f("switch_latency", &spec::switch_latency).text("from a header's arrival to its departure, idle");
    f("root_complex_latency", &spec::root_complex_latency).text("the same, of the root complex");
    f("endpoint_latency", &spec::endpoint_latency).text("from a TLP's last byte to the RDMA engine");
    f("switching", &spec::switching).text("when a switch may begin to forward a TLP");
    f("non_posted_headers", &spec::non_posted_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("reads, writes and atomic operations that a gen3 x16 receive buffer takes; faster ports in proportion");
    f("non_posted_data", &spec::non_posted_data)
        .in(bytes{256}, bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for writes and atomic operations; others in proportion to their rate, "
              "but "
              "at least two full TLPs");
    f.renamed("posted_data", "non_posted_data");
    f.renamed("posted_headers", "non_posted_headers");
    f("completion_data", &spec::completion_data)
        .in(bytes{64}, bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for completions; see non_posted_data");
    f("completion_headers", &spec::completion_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("completions a receive buffer takes; see non_posted_headers");
    f("replay_tlps", &spec::replay_tlps)
        .in(1, 65536)
        .unit("TLPs")
        .text("TLPs a gen3 x16 port keeps until they are acknowledged; faster ones in proportion");
    f("completion_timeout", &spec::completion_timeout)
        .text("a request that is not answered for this long ends the run with an error; 0s: it waits for ever");
    f("faults", &spec::faults).text("what goes wrong on its links");
}

pcie::topology pcie_network_spec::tree(unsigned gpus) const {
    const auto rate = pcie::parse_link_rate(link);
    if (!rate) throw std::invalid_argument(fmt::format("pcie_network: '{}' is no rate of a link", link));
    pcie::topology t;
    const auto add = [&](std::string name, pcie::node_kind kind, pcie::node_id parent) {
        pcie::topology_node node;
        node.name = std::move(name);
        node.kind = kind;
        node.link = *rate;
        return t.add(std::move(node), parent);
    };
    const pcie::node_id root = add("root", pcie::node_kind::root_complex, pcie::no_node);
    pcie::node_id parent = root;
    for (unsigned i = 0; i < gpus; ++i) {
        if (gpus_a_switch != 0 && i % gpus_a_switch == 0)
            parent = add(fmt::format("switch{}", i / gpus_a_switch), pcie::node_kind::pcie_switch, root);
        add(fmt::format("gpu{}", first_gpu + i), pcie::node_kind::endpoint, parent);
    }
    return t;
}

namespace {

unsigned two_or_more(const memory::address_map& memory) {
    if (memory.sockets() < 2) throw std::invalid_argument("pcie_network: a network joins two GPUs or more");
    return memory.sockets();
}

std::vector<pcie::function_spec> functions_of(const pcie::topology& nodes, const memory::address_map& memory) {
    std::vector<pcie::function_spec> all(nodes.size());
    for (const pcie::node_id gpu : nodes.endpoints())
        all[gpu].bars = {{{std::bit_ceil(memory.memory_per_socket().count)}, true, "memory"}};
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
      gpus_(nodes_.endpoints()),
      memory_(memory),
      map_(nodes_, functions_of(nodes_, memory_)),
      places_{memory_, in_order(map_, gpus_)},
      packets_(static_cast<std::uint32_t>(std::max(s.max_payload, s.read_completion_boundary).count)) {
    tree_ = std::make_unique<pcie::link_tree>(
        shared, packets_, map_, spec_,
        [&](pcie::node_id, std::uint32_t number, const std::string& node, const pcie::port::spec& line) -> auto& {
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
