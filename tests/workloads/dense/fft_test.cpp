// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(fft, is_right_and_seen_when_wrong) {
    check("name: fft\nbits: 2\n", {2, 3});
    check("name: fft\nbits: 3\n", {0, 1});
    check("name: fft\nbits: 10\nper_thread: 2\nblock: 64\n", {2, 3});
    check("name: fft\nbits: 11\n", {0, 1});
}

}  // namespace
}  // namespace contraflow::workloads_test
