// SPDX-License-Identifier: Apache-2.0
// A function on PCIe that a test scripts: it reads and writes bus addresses, its BAR 0 is memory, and it notes what
// arrives there. A tree of a GPU and such functions below a switch.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "core/simulation.h"
#include "observe/statistics.h"
#include "pcie/device/function.h"
#include "pcie/device/memory_region.h"
#include "pcie/fabric/link_tree.h"
#include "support/wait_text.h"

namespace contraflow::gpu::testing {

inline std::vector<std::uint8_t> noise(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    std::vector<std::uint8_t> all(size);
    for (auto& b : all) b = static_cast<std::uint8_t>(draw());
    return all;
}

class requester final : public pcie::requester_user_if, public pcie::region_if {
public:
    struct arrival {
        std::uint64_t offset = 0;
        std::uint32_t length = 0;
        core::sim_time at{};
    };
    requester(core::scheduler& events, std::uint64_t bytes) : memory(bytes), events_(events), region_(memory) {}

    void write(std::uint64_t address, std::uint64_t word) {
        std::vector<std::uint8_t> bytes(sizeof word);
        core::store_le<std::uint64_t>(bytes.data(), word);
        write(address, std::move(bytes));
    }
    void write(std::uint64_t address, std::vector<std::uint8_t> bytes) {
        start(pcie::operation_kind::write, address, std::move(bytes));
    }
    // The bytes are in `read` when it has finished.
    pcie::operation& read(std::uint64_t address, std::size_t length) {
        return start(pcie::operation_kind::read, address, std::vector<std::uint8_t>(length));
    }

    std::vector<std::uint8_t> memory;
    std::vector<arrival> arrivals;
    // If set, it is asked of each write that arrives: can it be taken now?
    std::function<bool(std::uint64_t offset, const pcie::tlp&)> may_take;
    std::function<void()> on_finished;
    std::unique_ptr<pcie::function> function;
    std::size_t ended = 0;
    struct job : pcie::operation {
        std::vector<std::uint8_t> bytes;
        core::sim_time finished{};
    };
    std::deque<job> jobs;

private:
    pcie::operation& start(pcie::operation_kind kind, std::uint64_t address, std::vector<std::uint8_t> bytes) {
        job& j = jobs.emplace_back();
        j.bytes = std::move(bytes);
        j.kind = kind;
        j.address = address;
        j.length = j.bytes.size();
        j.buffer = j.bytes.data();
        function->start(j);
        return j;
    }
    void finished(pcie::operation& o) override {
        ++ended;
        static_cast<job&>(o).finished = events_.now();
        if (on_finished) on_finished();
    }
    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override {
        if (may_take && !may_take(offset, packet)) return pcie::access_result::busy;
        arrivals.push_back({offset, pcie::span_of(packet).length, events_.now()});
        return region_.write(offset, packet);
    }
    pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override {
        return region_.request(r, packet);
    }
    using pcie::requester_user_if::fetch;
    void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override {
        region_.fetch(r, from, to, length);
    }
    core::scheduler& events_;
    pcie::memory_region region_;
};

// Gen3 x16 everywhere, as an MI25 has.
struct requester_tree {
    core::simulation sim;
    observe::statistics statistics;
    pcie::topology nodes;
    pcie::fabric_spec fabric;
    pcie::tlp_pool pool{4096};
    std::unique_ptr<pcie::address_map> map;
    std::deque<requester> requesters;
    std::unique_ptr<pcie::link_tree> tree;

    requester& nic(unsigned n = 0) { return requesters[n]; }
    void run_for(core::sim_time t) { sim.run_to(sim.events().now() + t); }
    std::string waits() const {
        std::vector<core::wait_edge> edges;
        for (const core::waiter_if* w : tree->waiters()) w->report_waits(edges);
        return contraflow::testing::wait_text(edges);
    }

protected:
    // make(name, function specification, place) gives the GPU.
    template <class Make>
    void build(const pcie::function_spec& gpu_place, unsigned nics, std::uint64_t nic_bytes, Make make) {
        using pcie::node_id, pcie::node_kind, pcie::port;
        const auto add = [&](std::string name, node_kind kind, node_id parent) {
            pcie::topology_node n;
            n.name = std::move(name);
            n.kind = kind;
            n.link = pcie::link_rate{3, 16};
            return nodes.add(n, parent);
        };
        const node_id rc = add("rc", node_kind::root_complex, pcie::no_node);
        const node_id sw = add("switch", node_kind::pcie_switch, rc);
        const node_id gpu_node = add("gpu", node_kind::endpoint, sw);
        for (unsigned i = 0; i < nics; ++i) add(fmt::format("nic{}", i), node_kind::endpoint, sw);
        std::vector<pcie::function_spec> places(nodes.size());
        for (const node_id id : nodes.endpoints()) places[id].bars = {{{nic_bytes}, false, "registers"}};
        places[gpu_node] = gpu_place;
        map = std::make_unique<pcie::address_map>(nodes, places);
        const port::resources shared{sim.events(), statistics};
        tree = std::make_unique<pcie::link_tree>(
            shared, pool, *map, fabric,
            [&](node_id id, std::uint32_t, const std::string& name, const port::spec& line) -> pcie::device_if& {
                pcie::function::spec spec;
                spec.link = line;
                spec.latency = fabric.endpoint_latency;
                if (id == gpu_node) return make(name, spec, map->at(id));
                requester& r = requesters.emplace_back(sim.events(), nic_bytes);
                r.function = std::make_unique<pcie::function>(name.c_str(), shared, pool, spec, map->at(id), r);
                r.function->map_bar(0, r);
                return *r.function;
            });
        sim.run_to(core::sim_time::from_us(1));
    }
};

}  // namespace contraflow::gpu::testing
