// SPDX-License-Identifier: Apache-2.0
// A PCIe path block on a plain memory, and requesters beside it below a switch.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/pcie_requester.h"
#include "gpu/ppb/path_block.h"
#include "memory/dram/dram.h"

namespace contraflow::gpu::testing {

// A GPU without units: its function, the path block, its memory.
class ppb_device final : public pcie::device_if, private pcie::requester_user_if {
public:
    ppb_device(const std::string& name, core::scheduler& events, observe::statistics& statistics, pcie::tlp_pool& pool,
               const pcie::function::spec& f, const pcie::address_map::function& place, const ppb_spec& s,
               memory::dram_spec d)
        : shared_{events, statistics, payloads},
          dram((name + "_dram").c_str(), shared_, (d.size = s.memory, d.base = s.memory_base, d)),
          ppb((name + "_ppb").c_str(), shared_, s),
          function(name.c_str(), {events, statistics}, pool, f, place, *this),
          client_((name + "_client").c_str(), shared_, ppb) {
        client_.port.bind(dram.up());
        ppb.connect(client_.port);
        ppb.connect(function);
    }
    pcie::port& link() override { return function.link(); }
    bool control(core::control_verb verb) override {
        if (verb == core::control_verb::reset) {
            ppb.control(verb);
            dram.control(verb);
        }
        return function.control(verb);
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        function.report_waits(edges);
        ppb.report_waits(edges);
        dram.report_waits(edges);
    }

    memory::payload_pool payloads;

private:
    void finished(pcie::operation&) override {}
    const memory::resources shared_;

public:
    memory::dram dram;
    path_block ppb;
    pcie::function function;

private:
    struct client final : sc_core::sc_module {
        client(const sc_core::sc_module_name& name, const memory::resources& shared, memory::request_owner_if& owner)
            : sc_module(name),
              port("port", shared, owner) {}
        memory::request_port port;
    };
    client client_;
};

struct ppb_node : requester_tree {
    std::unique_ptr<ppb_device> gpu;

    explicit ppb_node(const ppb_spec& s, unsigned nics = 1, const memory::dram_spec& d = {}, pcie::fabric_spec f = {}) {
        fabric = f;
        build({path_block::bars(s), {}}, nics, 4096,
              [&](const std::string& name, const pcie::function::spec& line,
                  const pcie::address_map::function& place) -> pcie::device_if& {
                  gpu = std::make_unique<ppb_device>(name, sim.events(), statistics, pool, line, place, s, d);
                  return *gpu;
              });
    }

    path_block& ppb() { return gpu->ppb; }
    std::uint64_t bus(std::uint64_t offset) const {
        return gpu->function.place().bars[path_block::memory_bar].base + offset;
    }
    std::uint64_t control_register(ppb_register r = ppb_register::control) const {
        return gpu->function.place().bars[path_block::control_bar].base + static_cast<std::uint64_t>(r);
    }
    // As a thread of the GPU with an uncached access would.
    void store(std::uint64_t offset, std::uint64_t value) {
        std::array<std::uint8_t, 8> bytes;
        core::store_le<std::uint64_t>(bytes.data(), value);
        gpu->dram.bytes().write(gpu->ppb.configuration().memory_base + offset, bytes.data(), bytes.size());
    }
    std::uint64_t load(std::uint64_t offset) {
        std::array<std::uint8_t, 8> bytes;
        gpu->dram.bytes().read(gpu->ppb.configuration().memory_base + offset, bytes.data(), bytes.size());
        return core::load_le<std::uint64_t>(bytes.data());
    }
    void fence(unsigned n = 0) { nic(n).write(control_register(), ppb_invalidate_and_flush); }
    // Runs until the read is answered.
    std::uint64_t read(std::uint64_t offset, unsigned n = 0) {
        auto& o = static_cast<requester::job&>(nic(n).read(bus(offset), 8));
        while (o.finished == core::sim_time{}) sim.run_to(sim.events().now() + core::sim_time::from_ns(10));
        EXPECT_FALSE(o.failed());
        return core::load_le<std::uint64_t>(o.bytes.data());
    }
    void expect_clean() {
        sim.run();
        observe::conservation checks;
        tree->check(checks);
        gpu->ppb.check(checks);
        gpu->dram.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_TRUE(gpu->ppb.idle());
        EXPECT_EQ(gpu->payloads.in_flight(), 0u);
        EXPECT_EQ(pool.in_flight(), 0u);
        EXPECT_EQ(waits(), "");
    }
};

// A memory of 1 MiB, 64-byte lines at 1 GHz, and a combiner that keeps the order and its writes until they are flushed.
inline ppb_spec small_ppb() {
    ppb_spec s;
    s.memory = {1u << 20};
    s.line = {64};
    s.read_cache = {1024};
    s.combiner = 4;
    s.order = drain_order::arrival;
    s.drain_after = core::sim_time::from_us(100'000);
    return s;
}

}  // namespace contraflow::gpu::testing
