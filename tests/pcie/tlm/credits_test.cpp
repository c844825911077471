// SPDX-License-Identifier: Apache-2.0
// Streams on links of every generation and width.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::gib_per_s;
using pcie::testing::outcome;
using pcie::testing::run;
using pcie::testing::send;

// The buffers that a port has by itself cover the way of a credit there and back, whatever the link and the packets.
TEST(fabric, credits_do_not_limit_a_stream_on_any_link) {
    for (const unsigned generation : {1u, 2u, 3u, 4u, 5u, 6u}) {
        std::vector<double> wide;
        for (const unsigned lanes : {16u, 8u, 1u}) {
            const link_rate rate{generation, lanes};
            topology t;
            const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
            pcie::testing::add_gpus(t, pcie::testing::add_switch(t, rc, "near", node_kind::pcie_switch, rate), 0, 2,
                                    rate);
            pcie::testing::add_gpus(t, pcie::testing::add_switch(t, rc, "far", node_kind::pcie_switch, rate), 2, 1,
                                    rate);
            std::size_t number = 0;
            for (const std::uint64_t payload : {128u, 512u, 4096u}) {
                for (const auto mode : {transfer_mode::push, transfer_mode::pull}) {
                    fabric_spec s;
                    s.transfers = mode;
                    s.tags = 1024;
                    s.max_payload = s.max_read_request = s.read_completion_boundary = {payload};
                    fabric_spec ample = s;
                    ample.posted_data = ample.completion_data = {1u << 20};
                    ample.posted_headers = ample.non_posted_headers = ample.completion_headers = 4096;
                    const std::uint64_t size = payload * 16 * lanes;
                    for (const char* from : {"gpu0", "gpu2"}) {
                        const outcome usual = run(t, s, {send(t, from, "gpu1", size)});
                        const outcome best = run(t, ample, {send(t, from, "gpu1", size)});
                        ASSERT_TRUE(usual.conserved && best.conserved) << usual.broken << best.broken;
                        const double got = gib_per_s(usual, 0);
                        EXPECT_GE(got, 0.99 * gib_per_s(best, 0)) << to_text(rate) << ", " << payload << ", " << from;
                        // Half the lanes, half the size: only latencies are not in proportion.
                        if (lanes == 16) wide.push_back(got);
                        if (lanes == 8) { EXPECT_GE(got, 0.49 * wide[number++]) << to_text(rate) << ", " << payload; }
                    }
                }
            }
        }
    }
}
