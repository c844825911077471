// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(relu, is_right_and_seen_when_wrong) {
    check("name: relu\nn: 3001\nblock: 96\nper_thread: 2\n", {1});
    check("name: relu\nn: 5\nseed: 3\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
