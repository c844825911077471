// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(triad, is_right_and_seen_when_wrong) {
    check("name: triad\nn: 5000\nper_thread: 3\nblock: 64\n", {2});
    check("name: triad\nn: 1\n", {2});
    check("name: triad\nn: 5001\npasses: 1\nturns: 6\nblock: 64\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
