// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(kmeans, is_right_and_seen_when_wrong) {
    check("name: kmeans\npoints: 700\nfeatures: 3\nclusters: 4\nrounds: 3\nblock: 64\nper_thread: 2\n", {1, 2});
    check("name: kmeans\npoints: 40\nfeatures: 20\nclusters: 33\nblock: 32\n", {1, 2});
    check("name: kmeans\npoints: 9\nfeatures: 1\nclusters: 9\n", {1, 2});
}

TEST(kmeans, more_clusters_than_points_are_a_problem) {
    EXPECT_EQ(selected("name: kmeans\npoints: 3\nclusters: 4\n").problems().size(), 1u);
    EXPECT_TRUE(selected("name: kmeans\npoints: 4\nclusters: 4\n").problems().empty());
}

}  // namespace
}  // namespace contraflow::workloads_test
