// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(n_body, is_right_and_seen_when_wrong) {
    check("name: n_body\nbodies: 150\nblock: 64\nsteps: 2\n", {0, 1, 2, 6, 7, 8});
    check("name: n_body\nbodies: 33\nblock: 32\n", {3, 4, 5, 6});
}

}  // namespace
}  // namespace contraflow::workloads_test
