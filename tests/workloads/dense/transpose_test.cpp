// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(transpose, is_right_and_seen_when_wrong) {
    check("name: transpose\nn: 100\n", {0, 1});
    check("name: transpose\nn: 32\npasses: 2\n", {0, 1});
    check("name: transpose\nn: 1\npasses: 3\n", {0, 1});
}

}  // namespace
}  // namespace contraflow::workloads_test
