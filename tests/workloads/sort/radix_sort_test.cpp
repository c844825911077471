// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(radix_sort, is_right_and_seen_when_wrong) {
    check("name: radix_sort\nn: 3001\nctas: 3\nblock: 96\n", {0, 1});
    check("name: radix_sort\nn: 700\nctas: 9\nblock: 64\ndigit_bits: 5\n", {2, 3});
}

// A block that does not fill its last wavefront, more CTAs than keys, digits of one bit.
TEST(radix_sort, is_right_in_odd_shapes) {
    check("name: radix_sort\nn: 500\nctas: 2\nblock: 50\ndigit_bits: 4\n", {0, 1});
    check("name: radix_sort\nn: 3\nctas: 8\nblock: 32\ndigit_bits: 1\n", {0, 1});
}

}  // namespace
}  // namespace contraflow::workloads_test
