// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "check.h"

namespace contraflow::workloads_test {
namespace {

TEST(many_to_one, is_right_and_seen_when_wrong) {
    check("name: many_to_one\ncolumns: 1000\nslots: 5\nrows: 3\nrounds: 2\nctas: 7\nblock: 64\n", {2});
    check("name: many_to_one\ncolumns: 2\nslots: 1\nrows: 1\nsockets: 1\nctas: 40\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
