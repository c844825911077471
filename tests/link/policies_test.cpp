// SPDX-License-Identifier: Apache-2.0
// The decision of each policy from one window. The table holds all policies.
#include "link/lanes/policies.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "link/lanes/saturation.h"

namespace contraflow::link {
namespace {

// A window of 1000 cycles with that number of busy lane-cycles.
window_sample sample(unsigned lanes_ab, std::uint64_t busy_ab, unsigned lanes_ba, std::uint64_t busy_ba) {
    return {{busy_ab, busy_ba}, {lanes_ab * 1000, lanes_ba * 1000}, {lanes_ab, lanes_ba}, false};
}

lane_decision decided(const char* policy, const window_sample& w, unsigned min_lanes = 1, unsigned saturation = 99) {
    lane_spec s;
    s.policy = policy;
    s.min_lanes = min_lanes;
    s.saturation = saturation;
    return make_lane_policy(s)->window_ended(w);
}

TEST(policies, the_table_holds_every_policy_of_the_folder) {
    std::set<std::string> files, listed;
    for (const auto& entry : std::filesystem::directory_iterator(CF_LINK_FOLDER)) {
        const std::string file = entry.path().filename().string();
        if (file.ends_with("_policy.h")) files.insert(file.substr(0, file.size() - 9));
    }
    for (const lane_policy& p : lane_policies()) listed.insert(p.name);
    EXPECT_EQ(files, listed);
    EXPECT_EQ(find_lane_policy("publishd"), nullptr);
    lane_spec s;
    s.policy = "publishd";
    EXPECT_THROW(make_lane_policy(s), std::logic_error);
}

TEST(policies, saturation_is_exact_at_its_threshold) {
    EXPECT_TRUE(saturation(99).of(792, 800));
    EXPECT_FALSE(saturation(99).of(791, 800));
    EXPECT_FALSE(saturation(99).of(0, 0));
    EXPECT_TRUE(saturation(99).of(1, 1));
    EXPECT_TRUE(saturation(60).of(480, 800));
    EXPECT_FALSE(saturation(60).of(479, 800));
}

TEST(policies, static_never_turns) { EXPECT_EQ(decided("static", sample(8, 8000, 8, 0)), lane_decision::none); }

TEST(policies, published_turns_to_the_only_saturated_direction) {
    EXPECT_EQ(decided("published", sample(8, 8000, 8, 0)), lane_decision::to_ab);
    EXPECT_EQ(decided("published", sample(8, 0, 8, 7920)), lane_decision::to_ba);
    EXPECT_EQ(decided("published", sample(8, 8000, 8, 7920)), lane_decision::none);
    EXPECT_EQ(decided("published", sample(8, 7919, 8, 7919)), lane_decision::none);
    EXPECT_EQ(decided("published", sample(8, 8000, 8, 7919)), lane_decision::to_ab);
}

TEST(policies, none_goes_below_the_least_or_turns_two_at_once) {
    for (const char* policy : {"published", "guarded"}) {
        EXPECT_EQ(decided(policy, sample(15, 15000, 1, 0)), lane_decision::none);
        EXPECT_EQ(decided(policy, sample(13, 13000, 3, 0), 3), lane_decision::none);
        EXPECT_EQ(decided(policy, sample(12, 12000, 4, 0), 3), lane_decision::to_ab);
        window_sample turning = sample(8, 8000, 8, 0);
        turning.turning = true;
        EXPECT_EQ(decided(policy, turning), lane_decision::none);
    }
}

TEST(policies, guarded_asks_whether_the_giver_could_do_with_one_less) {
    // 6 lanes: with 5 left, 4950 busy lane-cycles of 5000 would be saturated.
    EXPECT_EQ(decided("guarded", sample(10, 10000, 6, 4949)), lane_decision::to_ab);
    EXPECT_EQ(decided("guarded", sample(10, 10000, 6, 4950)), lane_decision::none);
    EXPECT_EQ(decided("published", sample(10, 10000, 6, 4950)), lane_decision::to_ab);
}

TEST(policies, the_threshold_is_a_parameter_of_each) {
    for (const char* policy : {"published", "guarded", "predictive"}) {
        EXPECT_EQ(decided(policy, sample(8, 4800, 8, 0), 1, 60), lane_decision::to_ab) << policy;
        EXPECT_EQ(decided(policy, sample(8, 4800, 8, 4800), 1, 60), lane_decision::none) << policy;
    }
    EXPECT_EQ(decided("published", sample(8, 4799, 8, 0), 1, 60), lane_decision::none);
    // 5 lanes left: 3000 of 5000 lane-cycles would be saturated.
    EXPECT_EQ(decided("guarded", sample(10, 10000, 6, 2999), 1, 60), lane_decision::to_ab);
    EXPECT_EQ(decided("guarded", sample(10, 10000, 6, 3000), 1, 60), lane_decision::none);
}

}  // namespace
}  // namespace contraflow::link
