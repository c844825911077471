// SPDX-License-Identifier: Apache-2.0
// A GPU whose engines are reset while messages go into and out of its memory, with any level of the NICs' receive side.
#pragma once

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>

#include "host/cluster/cluster_bench.h"

namespace contraflow::host::testing {

inline gpu::host_task send_whatever(rdma_process& p, std::vector<rdma_process::put_request> puts,
                                    std::vector<nic::transmit_status>& how) {
    std::vector<rdma_process::message> messages;
    for (const auto& r : puts) messages.push_back(co_await p.put(r));
    for (const auto m : messages) how.push_back(co_await p.sent(m));
}
inline gpu::host_task receive_for_ever(rdma_process& p, std::vector<nic::completion_record>& got) {
    for (;;) got.push_back(co_await p.receive());
}

// Two nodes that soon give up a read of a GPU.
inline rdma_cluster::spec impatient_cluster() {
    rdma_cluster::spec s = small_cluster({2});
    s.node.transmit.answer_timeout = core::sim_time::from_us(20);
    return s;
}

// In both directions; what was lost is sent again, and everything is where it should be.
inline void reset_gpu_in_the_midst(cluster_bench& b) {
    using nic::transmit_status;
    constexpr unsigned count = 12;
    std::vector<rdma_process::put_request> into, from;
    for (std::uint16_t i = 0; i < count; ++i) {
        into.push_back(b.put(0, b.host_from + i * 9000u, 1, b.gpu_to + i * 9000u, 8192, i));
        from.push_back(b.put(1, b.gpu_from + i * 9000u, 0, b.host_to + i * 9000u, 8192, i));
    }
    std::vector<transmit_status> how_into, how_from;
    std::vector<nic::completion_record> got0, got1;
    b.process(0).start(receive_for_ever(b.process(0), got0));
    b.process(1).start(receive_for_ever(b.process(1), got1));
    b.process(0).start(send_whatever(b.process(0), into, how_into));
    b.process(1).start(send_whatever(b.process(1), from, how_from));
    while (got1.size() < 2) b.sim.run_to(b.sim.events().now() + core::sim_time::from_us(1));
    b.cluster.node(1).gpu().reset_engines();
    b.run();
    EXPECT_EQ(how_into, std::vector<transmit_status>(count)) << "its senders notice nothing";
    EXPECT_EQ(std::ranges::count(how_from, transmit_status::done) +
                  std::ranges::count(how_from, transmit_status::timed_out),
              static_cast<long>(count));
    EXPECT_GT(std::ranges::count(how_from, transmit_status::timed_out), 3);
    EXPECT_EQ(got0.size(), static_cast<std::size_t>(std::ranges::count(how_from, transmit_status::done)));
    ASSERT_EQ(got1.size(), count);
    EXPECT_FALSE(got1[0].refused);
    EXPECT_GT(std::ranges::count(got1, true, &nic::completion_record::refused), 3);
    // Whatever was not refused has arrived.
    for (const auto& r : got1) {
        if (r.refused) continue;
        const std::uint64_t sent = b.host_from + (r.address - b.gpu_to);
        EXPECT_TRUE(std::ranges::equal(b.memory.read(1, r.address, 16), b.memory.read(0, sent, 16))) << r.tag;
    }

    b.cluster.node(1).recover_gpu();
    b.sim.run();
    how_into.clear();
    how_from.clear();
    b.process(0).start(send_whatever(b.process(0), into, how_into));
    b.process(1).start(send_whatever(b.process(1), from, how_from));
    b.run();
    EXPECT_EQ(how_from, std::vector<transmit_status>(count));
    ASSERT_EQ(got1.size(), 2 * count);
    for (std::size_t i = count; i < got1.size(); ++i) EXPECT_FALSE(got1[i].refused) << i;
    b.expect_memories();
    b.expect_clean();
}

}  // namespace contraflow::host::testing
