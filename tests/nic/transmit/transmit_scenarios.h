// SPDX-License-Identifier: Apache-2.0
// What a transmit side must do with any core: that of the model, or one that executes firmware. The GPU's buffer is
// registered before.
#pragma once

#include <gtest/gtest.h>

#include "nic/transmit/transmit_node.h"

namespace contraflow::nic::testing {

// Puts of both memories, of any size from any place, and one with two ends of pages within; then the doorbell.
inline void put_mixture(transmit_node& n, std::mt19937_64& draw, std::uint16_t puts) {
    for (std::uint16_t tag = 0; tag < puts; ++tag) {
        const auto length = static_cast<std::uint32_t>(1 + draw() % (draw() % 4 == 0 ? 20000 : 300));
        if (draw() % 3 == 0)
            n.put_host(draw() % (1u << 20), length, tag);
        else
            n.put_gpu(draw() % ((2u << 20) - length), length, tag);
    }
    n.put_gpu(gpu::peer_page - 5, gpu::peer_page + 10, puts);
    n.ring_doorbell();
}

inline void expect_a_reset_leaves_nothing(transmit_node& n, core::sim_time after) {
    n.put_gpu(70, 60'000, 1);
    n.put_host(0, 20'000, 2);
    n.ring_doorbell();
    n.sim.run_to(n.sim.events().now() + after);
    ASSERT_TRUE(n.reset());
    EXPECT_EQ(n.pool.in_flight(), 0u);
    n.sim.run();
    n.packets.clear();
    n.drop_expected();
    n.interrupts = 0;
    n.open();
    n.register_gpu_again();
    n.put_gpu(3, 40'000, 3);
    n.put_host(5, 9'000, 4);
    n.ring_doorbell();
    n.sim.run();
    n.expect_sent();
}

// A page before the buffer, one behind it, another process, a GPU that is not there; then a good message.
inline void expect_unregistered_is_told(transmit_node& n) {
    const std::uint64_t end = transmit_node::gpu_virtual + n.spec.gpu.memory.count;
    const auto post = [&](memory_space space, std::uint64_t source, std::uint16_t process) {
        descriptor d = transmit_node::put(space, source, 5000, 1);
        d.process = process;
        n.post(d);
    };
    post(memory_space::gpu0, transmit_node::gpu_virtual - 1, transmit_node::process);
    post(memory_space::gpu0, end - 4999, transmit_node::process);
    post(memory_space::gpu0, transmit_node::gpu_virtual, transmit_node::process + 1);
    post(memory_space::gpu1, transmit_node::gpu_virtual, transmit_node::process);
    post(memory_space::gpu0, end - 5000, transmit_node::process);
    n.ring_doorbell();
    n.sim.run();
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(n.completion(i).status, transmit_status::not_registered) << i;
    EXPECT_EQ(n.completion(4).status, transmit_status::done);
    EXPECT_EQ(n.packets.size(), 2u);
    n.expect_clean();
}

}  // namespace contraflow::nic::testing
