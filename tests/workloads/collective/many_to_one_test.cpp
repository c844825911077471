// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/traffic_machine.h"

namespace contraflow::workloads_test {
namespace {

TEST(many_to_one, is_right_and_seen_when_wrong) {
    check("name: many_to_one\ncolumns: 1000\nslots: 5\nrows: 3\nrounds: 2\nper_thread: 3\nblock: 64\n", {2});
    check("name: many_to_one\ncolumns: 2\nslots: 1\nrows: 1\nsockets: 1\n", {2});
}

TEST(many_to_one, all_of_the_traffic_goes_into_one_socket) {
    traffic_machine machine(4);
    const auto w = selected("name: many_to_one\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    const auto push = machine.sum_of("push");
    EXPECT_EQ(push.in[0], std::uint64_t{16} * 16384 * 8 * 3 / 4);
    EXPECT_EQ(push.total(), push.in[0]);
    EXPECT_EQ(machine.sum_of("").total(), push.total());
}

}  // namespace
}  // namespace contraflow::workloads_test
