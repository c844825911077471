// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated once traffic has reached its level, and a TLP under way costs little beside its payload.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "trees.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> allocated_bytes{0};
}  // namespace

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    allocated_bytes.fetch_add(size, std::memory_order_relaxed);
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::send;

TEST(allocation, none_in_steady_state) {
    const topology t = pcie::testing::t2();
    core::simulation sim;
    fabric f(sim, t, fabric_spec{},
             {send(t, "gpu0", "gpu2", 1u << 20), send(t, "gpu1", "gpu4", 1u << 20), send(t, "gpu3", "gpu2", 1u << 20),
              send(t, "gpu6", "gpu4", 1u << 20)});
    sim.run_until(core::sim_time::from_us(60));
    const auto before = allocations.load();
    const auto moved = f.tlps_moved();
    sim.run_until(core::sim_time::from_us(120));
    EXPECT_GT(f.tlps_moved(), moved + 1000);
    EXPECT_EQ(allocations.load(), before);
    sim.run();
    EXPECT_EQ(f.streams_left(), 0u);
}

TEST(allocation, a_tlp_in_flight_takes_little_beside_its_payload) {
    tlp_pool pool(4096);
    const auto before = allocated_bytes.load();
    for (int i = 0; i < 1024; ++i) pool.take(tlp_kind::memory_write);
    // With its places in a replay buffer and a receive buffer.
    const double each = static_cast<double>(allocated_bytes.load() - before) / 1024 - 4096;
    EXPECT_LE(each + sizeof(void*) + sizeof(received_tlp), 200.0);
}
