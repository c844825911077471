// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(simple_convolution, is_right_and_seen_when_wrong) {
    check("name: simple_convolution\nwidth: 70\nheight: 19\n", {1});
    check("name: simple_convolution\nwidth: 64\nheight: 8\nside: 5\n", {1});
    check("name: simple_convolution\nwidth: 5\nheight: 3\nside: 7\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
