// SPDX-License-Identifier: Apache-2.0
// The purpose of the predictive policy: bursty traffic waits less than under the published policies. And its cost
// when traffic is steady and at the limit.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "link/lanes/policies.h"
#include "support.h"

namespace contraflow::link {
namespace {

using testing::generator;
using testing::pick;

constexpr std::uint64_t rate = 16;  // phits a cycle in a burst: twice what a direction has at first

// Bursts of both directions, independent of each other, of `mean` cycles; load: phits a cycle in the long run, by
// direction and cycle.
std::vector<trace_row> bursts(std::uint64_t seed, std::uint64_t length, std::uint64_t mean,
                              const std::function<double(direction, std::uint64_t)>& load) {
    generator g(seed);
    std::vector<trace_row> trace;
    by_direction<std::uint64_t> left;
    by_direction<bool> on;
    for (std::uint64_t t = 0; t < length;) {
        for (const auto d : both_directions)
            if (left[d] == 0) {
                on[d] = !on[d];
                const double gap = static_cast<double>(rate) / load(d, t) - 1;
                left[d] = pick(g, 1, 2 * static_cast<std::uint64_t>(static_cast<double>(mean) * (on[d] ? 1 : gap)));
            }
        const std::uint64_t n = std::min(left.ab, left.ba);
        trace.push_back({n, {on.ab ? rate : 0, on.ba ? rate : 0}, false});
        left = {left.ab - n, left.ba - n};
        t += n;
    }
    return trace;
}

// Mean number of cycles that a phit waits.
double wait(const char* policy, const std::vector<trace_row>& trace) {
    lane_spec s;
    s.policy = policy;
    const auto lanes = make_lane_bank(s);
    const replay_result r = replay(*lanes, trace);
    return (r.waited.ab + r.waited.ba) / static_cast<double>(r.served.ab + r.served.ba);
}

struct family {
    const char* name;
    std::uint64_t mean;
    std::function<double(direction, std::uint64_t)> load;
};

auto loads(double ab, double ba) {
    return [=](direction d, std::uint64_t) { return d == direction::ab ? ab : ba; };
}
// The heavy direction changes.
auto phases(std::uint64_t length) {
    return [=](direction d, std::uint64_t t) { return t / length % 2 == index(d) ? 9.0 : 2.0; };
}

const std::vector<family>& families() {
    static const std::vector<family> all{
        {"bursts of 500, 6 and 1", 500, loads(6, 1)},     {"bursts of 500, 7 and 3", 500, loads(7, 3)},
        {"bursts of 2000, 7 and 1", 2000, loads(7, 1)},   {"bursts of 2000, 9 and 2", 2000, loads(9, 2)},
        {"bursts of 8000, 6 and 2", 8000, loads(6, 2)},   {"bursts of 8000, 6 and 6", 8000, loads(6, 6)},
        {"bursts of 30000, 6 and 6", 30000, loads(6, 6)}, {"phases of 60000", 1000, phases(60'000)},
        {"phases of 200000", 1000, phases(200'000)}};
    return all;
}

TEST(predictive, bursts_wait_less_than_under_either_published_policy) {
    double product = 1;
    for (const family& f : families()) {
        double published = 0, guarded = 0, predictive = 0;
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const auto trace = bursts(seed, 1'200'000, f.mean, f.load);
            published += wait("published", trace);
            guarded += wait("guarded", trace);
            predictive += wait("predictive", trace);
        }
        const double ratio = predictive / std::min(published, guarded);
        ::testing::Test::RecordProperty(f.name, std::to_string(ratio));
        EXPECT_LT(ratio, 1.0) << f.name;
        product *= ratio;
    }
    EXPECT_LT(std::pow(product, 1.0 / static_cast<double>(families().size())), 0.93);
}

TEST(predictive, steady_traffic_at_the_limit_pays_for_the_trials_a_little) {
    for (const trace_row& steady : {trace_row{400'000, {14, 2}, false}, trace_row{400'000, {12, 5}, false},
                                    trace_row{400'000, {20, 0}, false}, trace_row{400'000, {9, 9}, false}}) {
        const double published = wait("published", {steady}), predictive = wait("predictive", {steady});
        EXPECT_LT(predictive, 1.2 * published) << steady.arrivals.ab << " " << steady.arrivals.ba;
    }
}

TEST(predictive, turns_a_lane_before_a_direction_is_saturated) {
    lane_spec s;
    s.sample_time = {1000};
    s.policy = "predictive";
    const auto controller = make_lane_policy(s);
    const window_sample w{{7000, 1000}, {8000, 8000}, {8, 8}, false};
    lane_decision d = lane_decision::none;
    for (int i = 0; i < 3 && d == lane_decision::none; ++i) d = controller->window_ended(w);
    EXPECT_EQ(d, lane_decision::to_ab);
    window_sample even = w;
    even.busy = {4000, 4000};
    controller->kernel_launched(0);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(controller->window_ended(even), lane_decision::none);
}

TEST(predictive, a_trial_that_was_not_needed_makes_it_wait_longer_for_the_next) {
    lane_spec s;
    s.sample_time = {1000};
    s.policy = "predictive";
    const auto controller = make_lane_policy(s);
    const window_sample both{{12'000, 4000}, {12'000, 4000}, {12, 4}, false};
    const window_sample not_needed{{11'000, 4000}, {11'000, 5000}, {11, 5}, false};
    for (const int patience : {2, 4, 8}) {
        for (int i = 1; i < patience; ++i) EXPECT_EQ(controller->window_ended(both), lane_decision::none) << i;
        EXPECT_EQ(controller->window_ended(both), lane_decision::to_ba);
        EXPECT_EQ(controller->window_ended(not_needed), lane_decision::to_ab);
    }
}

TEST(predictive, a_quiet_window_ends_a_trial) {
    lane_spec s;
    s.sample_time = {1000};
    s.policy = "predictive";
    const auto controller = make_lane_policy(s);
    const window_sample both{{12'000, 4000}, {12'000, 4000}, {12, 4}, false};
    EXPECT_EQ(controller->window_ended(both), lane_decision::none);
    EXPECT_EQ(controller->window_ended(both), lane_decision::to_ba);
    controller->quiet_windows(1);
    EXPECT_EQ(controller->window_ended(both), lane_decision::none) << "the next trial has to wait again";
    EXPECT_EQ(controller->window_ended(both), lane_decision::to_ba);
}

}  // namespace
}  // namespace contraflow::link
