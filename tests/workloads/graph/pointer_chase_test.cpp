// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(pointer_chase, is_right_and_seen_when_wrong) {
    check("name: pointer_chase\nbits: 8\nchains: 40\nsteps: 700\n", {1});
    check("name: pointer_chase\nbits: 0\nchains: 1\nsteps: 3\n", {1});
    check("name: pointer_chase\nbits: 1\nstride: 1\nchains: 3\nsteps: 5\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
