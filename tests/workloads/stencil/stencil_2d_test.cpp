// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(stencil_2d, is_right_and_seen_when_wrong) {
    check("name: stencil_2d\nnx: 100\nny: 37\nsteps: 3\nblock: 64\n", {1});
    check("name: stencil_2d\nnx: 2\nny: 2\nsteps: 2\n", {0});
    check("name: stencil_2d\nnx: 64\nny: 700\nsteps: 1\n", {1});
    check("name: stencil_2d\nnx: 1000\nny: 300\nsteps: 1\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
