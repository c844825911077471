// SPDX-License-Identifier: Apache-2.0
// A GPU's peer-to-peer side and requesters beside it below a switch.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/simulation.h"
#include "gpu/pcie_requester.h"
#include "gpu/peer/peer_gpu.h"
#include "pcie/fabric/link_tree.h"
#include "support/wait_text.h"

namespace contraflow::gpu::testing {

struct peer_node {
    static constexpr std::uint64_t answers = 1u << 16;  // bytes of an answer window

    core::simulation sim;
    observe::statistics statistics;
    pcie::topology nodes;
    pcie::fabric_spec fabric;
    pcie::tlp_pool pool{4096};
    std::unique_ptr<pcie::address_map> map;
    std::unique_ptr<peer_gpu> gpu;
    std::deque<requester> requesters;
    std::unique_ptr<pcie::link_tree> tree;
    std::vector<std::uint8_t> before;  // the GPU's memory at the start

    explicit peer_node(const peer_spec& s, pcie::fabric_spec f = {}) : fabric(f) {
        using pcie::device_if, pcie::link_rate, pcie::node_id, pcie::node_kind, pcie::port;
        const link_rate gen2{2, 8};
        const auto add = [&](std::string name, node_kind kind, node_id parent) {
            pcie::topology_node n;
            n.name = std::move(name);
            n.kind = kind;
            n.link = gen2;
            return nodes.add(n, parent);
        };
        const node_id rc = add("rc", node_kind::root_complex, pcie::no_node);
        const node_id sw = add("switch", node_kind::pcie_switch, rc);
        const node_id gpu_node = add("gpu", node_kind::endpoint, sw);
        for (unsigned i = 0; i < s.requesters; ++i) add(fmt::format("nic{}", i), node_kind::endpoint, sw);
        std::vector<pcie::function_spec> places(nodes.size());
        for (const node_id id : nodes.endpoints()) places[id].bars = {{{answers}, false, "answers"}};
        places[gpu_node] = peer_gpu::place_of(s);
        map = std::make_unique<pcie::address_map>(nodes, places);
        const port::resources shared{sim.events(), statistics};
        tree = std::make_unique<pcie::link_tree>(
            shared, pool, *map, fabric,
            [&](node_id id, std::uint32_t, const std::string& name, const port::spec& line) -> device_if& {
                pcie::function::spec spec;
                spec.link = line;
                spec.latency = fabric.endpoint_latency;
                if (id == gpu_node) {
                    gpu = std::make_unique<peer_gpu>(name.c_str(), shared, pool, spec, map->at(id), s);
                    return *gpu;
                }
                requester& r = requesters.emplace_back(sim.events(), answers);
                r.function = std::make_unique<pcie::function>(name.c_str(), shared, pool, spec, map->at(id), r);
                r.function->map_bar(0, r);
                return *r.function;
            });
        before = noise(s.memory.count, 1);
        std::ranges::copy(before, gpu->memory().bytes().begin());
        sim.run_to(core::sim_time::from_us(1));
    }

    std::uint64_t register_of(unsigned n, peer_register r) const {
        return gpu->registers_of(n) + static_cast<std::uint64_t>(r);
    }
    void open_answers(unsigned n, std::uint64_t size = answers) {
        requesters[n].write(register_of(n, peer_register::answer_base), requesters[n].function->place().bars[0].base);
        requesters[n].write(register_of(n, peer_register::answer_size), size);
        sim.run();
    }
    void ask(unsigned n, std::uint64_t address, std::uint32_t answer_at) {
        requesters[n].write(register_of(n, peer_register::read_request),
                            peer_read_request{address, answer_at}.encode());
    }
    void move_window(unsigned n, const peer_window& to) {
        requesters[n].write(register_of(n, peer_register::window), to.encode());
    }
    bool memory_unchanged() { return std::ranges::equal(gpu->memory().bytes(), before); }
    void expect_clean() {
        observe::conservation checks;
        tree->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
    }
    std::string waits() const {
        std::vector<core::wait_edge> edges;
        gpu->report_waits(edges);
        for (const auto& r : requesters) r.function->report_waits(edges);
        return contraflow::testing::wait_text(edges);
    }
};

}  // namespace contraflow::gpu::testing
