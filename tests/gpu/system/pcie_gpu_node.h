// SPDX-License-Identifier: Apache-2.0
// A whole GPU with a path block and scripted NICs below a switch.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gpu/pcie_requester.h"
#include "gpu/system/pcie_gpu.h"
#include "gpu/whole_gpu.h"

namespace contraflow::gpu::testing {

inline pcie_gpu_spec small_pcie_gpu() {
    pcie_gpu_spec s;
    static_cast<gpu_parts&>(s) = small_gpu();
    s.page_size = {4096};
    s.dram.size = {1u << 20};
    s.launch = core::sim_time::from_us(1);
    s.teardown = core::sim_time::from_us(1);
    s.uncached_store = core::sim_time::from_ns(100);
    return s;
}

struct pcie_gpu_node : requester_tree {
    std::unique_ptr<pcie_gpu> gpu;
    bool rung = false;  // for scripts

    explicit pcie_gpu_node(const pcie_gpu_spec& s, unsigned nics = 1) {
        build(pcie_gpu::place_of(s), nics, 4096,
              [&](const std::string& name, const pcie::function::spec& line,
                  const pcie::address_map::function& place) -> pcie::device_if& {
                  gpu = std::make_unique<pcie_gpu>(name.c_str(), pcie::port::resources{sim.events(), statistics}, pool,
                                                   line, place, s);
                  return *gpu;
              });
    }

    device_memory& memory() { return gpu->memory(); }
    void start(dim3 grid, dim3 block, const kernel_launch::entry& body) {
        gpu->host().start(launch(gpu->host(), grid, block, body));
    }
    // Runs until that holds.
    void until(const std::function<bool()>& holds) {
        for (unsigned i = 0; i < 200'000; ++i) {
            if (holds()) return;
            run_for(core::sim_time::from_ns(10));
        }
        throw std::logic_error("it never came:\n" + waits());
    }
    // To the end of the program and of all traffic; throws its exception.
    void finish() {
        until([this] { return gpu->host().finished(); });
        sim.run();
        gpu->host().rethrow();
    }

    // Memory itself, past all caches.
    template <class T> T in_memory(const array<T>& a, std::size_t i) {
        T value{};
        gpu->system().socket(0).memory().bytes().read(gpu->system().pages().translate(a.address(i), 0),
                                                      reinterpret_cast<std::uint8_t*>(&value), sizeof value);
        return value;
    }
    std::size_t lines_in_second_level() const { return sum(&memory::cache::lines_in_use); }
    std::size_t dirty_lines() const { return sum(&memory::cache::dirty_lines); }

    template <class T>
    void nic_writes(const array<T>& a, std::size_t i, std::type_identity_t<T> value, unsigned n = 0) {
        std::vector<std::uint8_t> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        nic(n).write(gpu->bus_address(a.address(i)), bytes);
    }
    void nic_flushes(unsigned n = 0) { nic(n).write(gpu->control_address(), ppb_invalidate_and_flush); }
    template <class T> T nic_reads(const array<T>& a, std::size_t i, unsigned n = 0) {
        auto& job = static_cast<requester::job&>(nic(n).read(gpu->bus_address(a.address(i)), sizeof(T)));
        until([&] { return job.finished != core::sim_time{}; });
        EXPECT_FALSE(job.failed());
        T value{};
        std::memcpy(&value, job.bytes.data(), sizeof value);
        return value;
    }
    void expect_clean() {
        sim.run();
        observe::conservation checks;
        tree->check(checks);
        gpu->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_TRUE(gpu->idle());
        EXPECT_EQ(gpu->system().payloads_in_flight(), 0u);
        EXPECT_EQ(pool.in_flight(), 0u);
        EXPECT_EQ(waits(), "");
    }

private:
    static host_task launch(gpu_system_if& gpu, dim3 grid, dim3 block, kernel_launch::entry body) {
        co_await gpu.launch({"kernel", grid, block, std::move(body)});
    }
    std::size_t sum(std::size_t (memory::cache::*of)() const) const {
        std::size_t all = 0;
        for (const auto& bank : gpu->system().socket(0).second_level()) all += (*bank.*of)();
        return all;
    }
};

}  // namespace contraflow::gpu::testing
