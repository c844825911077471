// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(fir, is_right_and_seen_when_wrong) {
    check("name: fir\nn: 3000\nblock: 64\nper_thread: 3\n", {1});
    check("name: fir\nn: 100\ntaps: 5\n", {1});
    check("name: fir\nn: 7\ntaps: 1\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
