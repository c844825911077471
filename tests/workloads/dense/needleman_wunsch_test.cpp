// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(needleman_wunsch, is_right_and_seen_when_wrong) {
    check("name: needleman_wunsch\nn: 96\n", {2});
    check("name: needleman_wunsch\nn: 32\nmatch: 1\nmismatch: -1\ngap: -2\n", {2});
    check("name: needleman_wunsch\nn: 64\ngap: 0\nseed: 7\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
