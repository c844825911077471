// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

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

constexpr std::uint64_t vector_bytes = 65536 * 4;

// Halves of a vector that each socket takes in over its link.
std::vector<double> taken(const char* way) {
    traffic_machine machine(4);
    const auto w = selected(std::string("name: all_reduce\nn: 65536\nctas: 8\nway: ") + way + "\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    EXPECT_EQ(w->verify(machine.memory()), "");
    std::vector<double> halves(4);
    for (const char* kernel : {"reduce", "gather", "spread"}) {
        const auto sum = machine.sum_of(kernel);
        for (unsigned s = 0; s < sum.in.size(); ++s) halves[s] += static_cast<double>(sum.in[s]) / (vector_bytes / 2);
    }
    return halves;
}

// Each of p GPUs takes 2 (p - 1) / p vectors by a ring, which uses all links all of the time.
TEST(all_reduce, by_a_ring_loads_all_links_alike) { EXPECT_EQ(taken("ring"), (std::vector<double>{3, 3, 3, 3})); }

// All vectors but one are passed up, and down, whole: 1 to 0, 3 to 2, 2 to 0, and back. The total is that of the ring.
TEST(all_reduce, by_a_tree_loads_the_links_of_those_that_add) {
    EXPECT_EQ(taken("tree"), (std::vector<double>{4, 2, 4, 2}));
}

}  // namespace
}  // namespace contraflow::workloads_test
