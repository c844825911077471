// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(bitonic_sort, is_right_and_seen_when_wrong) {
    check("name: bitonic_sort\nbits: 10\nblock: 64\nper_thread: 2\n", {0});
    check("name: bitonic_sort\nbits: 7\n", {0});
    check("name: bitonic_sort\nbits: 1\n", {0});
}

}  // namespace
}  // namespace contraflow::workloads_test
