// SPDX-License-Identifier: Apache-2.0
// The figures behind the rows A1 to A13 are those of the configured machine: another machine gives others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using enum torus_nic::memory_pair;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(torus_figures, of_latency_have_the_hosts_times_where_they_belong) {
    const double latency = half_round_trip_us(host_host, {}), overhead = overhead_us(host_host, {});
    EXPECT_NEAR(half_round_trip_us(host_host, {}, {"node.process.completion=1.43us"}), latency + 1, 0.01);
    EXPECT_NEAR(overhead_us(host_host, {}, {"node.process.put=3.6us"}), overhead + 1, 0.01);
    EXPECT_NEAR(half_round_trip_us(host_host, {}, {"node.process.put=3.6us"}), latency, 0.01);
}

TEST(torus_figures, of_staging_have_one_call_of_ten_microseconds) {
    EXPECT_NEAR(half_round_trip_us(gpu_gpu, {}, joined(staged, {"node.process.copy=5us"})),
                half_round_trip_us(gpu_gpu, {}, staged) - 5, 0.05);
}

TEST(torus_figures, of_look_ups_follow_the_cores_memory_and_the_number_of_buffers) {
    const double one = lookup_with(1).us;
    EXPECT_NEAR(lookup_with(2).us - one, (lookup_with(9).us - one) / 8, 0.02);
    EXPECT_GT(lookup_with(1, {"receive.core.table_latency=140ns"}).us, one * 1.25);
    const lookup_cost cost = lookup_with(1);
    EXPECT_LT(cost.search + cost.walk, 1);
}

TEST(torus_figures, of_reads_follow_the_gpu) {
    const double rate = read_gb_per_s("{generation: v3}", {});
    EXPECT_NEAR(read_gb_per_s("{generation: v3}", {}, {"node.gpu.read_rate=1GiB/s"}), rate / 1.49, 0.03);
    const auto& slow = reads("{generation: v3}", {}, {"node.gpu.read_rate=1GiB/s"});
    EXPECT_LT(slow.link_in, reads("{generation: v3}", {}).link_in * 0.75);
}

TEST(torus_figures, of_a_configuration_that_is_none_say_so) {
    EXPECT_THAT([] { half_round_trip_us(host_host, {}, {"node.proces.put=1us"}); },
                ThrowsMessage<std::runtime_error>(HasSubstr("did you mean 'process'")));
    EXPECT_THAT([] { half_round_trip_us(host_host, {}, {"messages.sizes=[4MiB]"}); },
                ThrowsMessage<std::runtime_error>(HasSubstr("no room")));
}

}  // namespace
}  // namespace contraflow::validate
