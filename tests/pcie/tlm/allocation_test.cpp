// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated in steady traffic, and a TLP in flight costs little more than its payload.
#include <gtest/gtest.h>

#include "support/allocation_count.h"
#include "trees.h"

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
    const auto before = test::allocations();
    const auto moved = f.tlps_moved();
    sim.run_until(core::sim_time::from_us(120));
    EXPECT_GT(f.tlps_moved(), moved + 1000);
    EXPECT_EQ(test::allocations(), before);
    sim.run();
    EXPECT_EQ(f.streams_left(), 0u);
}

TEST(allocation, a_tlp_in_flight_takes_little_beside_its_payload) {
    tlp_pool pool(4096);
    const auto before = test::allocated_bytes();
    for (int i = 0; i < 1024; ++i) pool.take(tlp_kind::memory_write);
    // With its places in a replay buffer and a receive buffer.
    const double each = static_cast<double>(test::allocated_bytes() - before) / 1024 - 4096;
    EXPECT_LE(each + sizeof(void*) + sizeof(received_tlp), 200.0);
}
