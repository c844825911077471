// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/traffic_machine.h"

namespace contraflow::workloads_test {
namespace {

TEST(all_reduce, is_right_and_seen_when_wrong) {
    check("name: all_reduce\nn: 1000\nctas: 3\nblock: 64\n", {0, 1, 2, 3});
    check("name: all_reduce\nn: 100\nsockets: 5\nctas: 2\nblock: 32\n", {0, 4});
    check("name: all_reduce\nn: 1000\nway: tree\nctas: 3\nblock: 64\n", {0, 1, 2, 3});
    check("name: all_reduce\nn: 100\nway: tree\nsockets: 7\nctas: 1\n", {0, 3, 6});
    check("name: all_reduce\nn: 3\nsockets: 8\nctas: 2\n", {0, 7});
    check("name: all_reduce\nn: 100\nway: tree\nsockets: 3\nctas: 2\n", {0, 1, 2});
}

std::uint64_t crossing(const char* way) {
    traffic_machine machine(4);
    const auto w = selected(std::string("name: all_reduce\nn: 65536\nctas: 8\nway: ") + way + "\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    EXPECT_EQ(w->verify(machine.memory()), "");
    return machine.sum_of("reduce").total() + machine.sum_of("gather").total() + machine.sum_of("spread").total();
}

// Each of p GPUs takes 2 (p - 1) / p vectors by a ring; by a tree all vectors but one are passed up, and down, whole.
// The totals are alike: the ring's traffic uses all links all of the time.
TEST(all_reduce, moves_what_its_ways_say) {
    constexpr std::uint64_t vector = 65536 * 4, sockets = 4;
    EXPECT_EQ(crossing("ring"), 2 * (sockets - 1) * vector);
    EXPECT_EQ(crossing("tree"), 2 * (sockets - 1) * vector);
}

}  // namespace
}  // namespace contraflow::workloads_test
