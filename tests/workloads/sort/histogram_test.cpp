// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(histogram, is_right_and_seen_when_wrong) {
    check("name: histogram\nn: 5000\nbins: 100\nper_thread: 3\nblock: 64\n", {1});
    check("name: histogram\nn: 3000\nbins: 1000\nskew: 1\n", {1});
    check("name: histogram\nn: 7\nbins: 2\nskew: 16\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
