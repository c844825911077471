// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(im2col, is_right_and_seen_when_wrong) {
    check("name: im2col\nheight: 9\nwidth: 12\nblock: 64\nper_thread: 3\n", {1});
    check("name: im2col\nbatch: 1\nchannels: 2\nheight: 11\nwidth: 7\nwindow: 3\nstride: 2\npad: 2\ndilation: 2\n",
          {1});
    check("name: im2col\nbatch: 1\nchannels: 1\nheight: 4\nwidth: 4\nwindow: 4\npad: 0\n", {1});
}

TEST(im2col, a_window_larger_than_the_image_is_a_problem) {
    EXPECT_EQ(selected("name: im2col\nheight: 4\nwindow: 5\npad: 0\n").problems().size(), 1u);
    EXPECT_TRUE(selected("name: im2col\nheight: 4\nwindow: 5\npad: 1\n").problems().empty());
}

}  // namespace
}  // namespace contraflow::workloads_test
