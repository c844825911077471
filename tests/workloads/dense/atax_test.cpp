// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(atax, is_right_and_seen_when_wrong) {
    check("name: atax\nrows: 70\ncolumns: 100\nctas: 5\nblock: 64\n", {2});
    check("name: atax\nrows: 33\ncolumns: 31\nctas: 50\nblock: 32\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
