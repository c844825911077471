// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(fast_walsh_transform, is_right_and_seen_when_wrong) {
    check("name: fast_walsh_transform\nbits: 11\nblock: 64\nper_thread: 2\n", {0});
    check("name: fast_walsh_transform\nbits: 1\n", {0});
}

}  // namespace
}  // namespace contraflow::workloads_test
