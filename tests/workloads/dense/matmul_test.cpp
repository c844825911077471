// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(matmul, is_right_and_seen_when_wrong) {
    check("name: matmul\nn: 96\n", {2});
    check("name: matmul\nn: 32\nseed: 5\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
