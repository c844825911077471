// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/support/permutation.h"

namespace contraflow::workloads_test {
namespace {

TEST(gather_scatter, is_right_and_seen_when_wrong) {
    check("name: gather_scatter\nbits: 11\nper_thread: 3\nblock: 64\n", {2, 3});
    check("name: gather_scatter\nbits: 0\n", {2, 3});
    check("name: gather_scatter\nbits: 1\n", {2, 3});
}

TEST(permutation, names_every_place_once_and_moves_most) {
    for (const unsigned bits : {0u, 1u, 2u, 5u, 12u}) {
        const workloads::permutation p(bits, 7);
        std::vector<bool> seen(p.size());
        std::size_t neighbours = 0;
        for (std::uint64_t i = 0; i < p.size(); ++i) {
            ASSERT_LT(p(i), p.size());
            EXPECT_FALSE(seen[p(i)]) << bits << " bits, " << i;
            seen[p(i)] = true;
            neighbours += i > 0 && p(i) == p(i - 1) + 1;
        }
        EXPECT_TRUE(bits < 12 || neighbours < 20) << neighbours;
    }
}

}  // namespace
}  // namespace contraflow::workloads_test
