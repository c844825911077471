// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(floyd_warshall, is_right_and_seen_when_wrong) {
    check("name: floyd_warshall\nvertices: 50\nedges: 4\nblock: 64\nper_thread: 2\n", {0, 1});
    check("name: floyd_warshall\nvertices: 20\nedges: 2\nseed: 4\n", {0, 1});
}

}  // namespace
}  // namespace contraflow::workloads_test
