// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(stencil_3d, is_right_and_seen_when_wrong) {
    check("name: stencil_3d\nnx: 33\nny: 5\nnz: 7\nsteps: 3\nblock: 64\n", {1});
    check("name: stencil_3d\nnx: 2\nny: 2\nnz: 2\nsteps: 2\n", {0});
    check("name: stencil_3d\nnx: 65\nny: 40\nnz: 40\nsteps: 1\n", {1});
}

}  // namespace
}  // namespace contraflow::workloads_test
