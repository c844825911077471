// SPDX-License-Identifier: Apache-2.0
// The rules of the table of experiments: when one holds, its forms, its ids. That each holds is what the test of the
// program says.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"
#include "validate/table/selection.h"
#include "validate/table/tried.h"

namespace contraflow::validate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

experiment tried_by(relation r, double tolerance, answer (*measure)(const run_environment&) = nullptr) {
    return {"model.name", "a|b", "1 + 1", "GB/s", r, tolerance, measure};
}

TEST(physics, holds_within_its_tolerance) {
    const auto equal = tried_by(relation::equal, 0.01);
    EXPECT_TRUE(holds(equal, {{100, 200}, {100.9, 198.1}, ""}));
    EXPECT_FALSE(holds(equal, {{100, 200}, {100.9, 197.9}, ""}));
    EXPECT_FALSE(holds(equal, {{100, 200}, {101.1, 200}, ""}));
    EXPECT_TRUE(holds(equal, {{0}, {0.009}, ""})) << "absolute where nothing is expected";
    EXPECT_FALSE(holds(equal, {{0}, {0.011}, ""}));
    const auto most = tried_by(relation::at_most, 0.01);
    EXPECT_TRUE(holds(most, {{1, 1}, {0.2, 1.009}, ""}));
    EXPECT_FALSE(holds(most, {{1, 1}, {0.2, 1.011}, ""}));
    const auto least = tried_by(relation::at_least, 0.01);
    EXPECT_TRUE(holds(least, {{1, 1}, {5, 0.991}, ""}));
    EXPECT_FALSE(holds(least, {{1, 1}, {5, 0.989}, ""}));
}

TEST(physics, does_not_hold_without_numbers) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (const relation r : {relation::equal, relation::at_most, relation::at_least}) {
        const auto e = tried_by(r, 1);
        EXPECT_FALSE(holds(e, {}));
        EXPECT_FALSE(holds(e, {{1, 1}, {1}, ""}));
        EXPECT_FALSE(holds(e, {{1}, {nan}, ""}));
        EXPECT_FALSE(holds(e, {{1}, {inf}, ""}));
        EXPECT_FALSE(holds(e, {{1}, {-inf}, ""}));
        EXPECT_FALSE(holds(e, {{nan}, {1}, ""}));
    }
}

TEST(physics, tells_the_largest_error) {
    EXPECT_NEAR(largest_error({{100, 200}, {101, 190}, ""}), -0.05, 1e-12);
    EXPECT_TRUE(std::isnan(largest_error({{1}, {std::nan("")}, ""})));
}

answer right_answer(const run_environment&) { return {{2}, {2.01}, "how"}; }
answer wrong_answer(const run_environment&) { return {{2}, {3}, ""}; }
answer crashing(const run_environment&) { throw std::runtime_error("out of order"); }
answer stopping_one(const run_environment&) { throw stopped(); }

TEST(physics, writes_what_was_tried) {
    const auto good = tried_by(relation::equal, 0.01, right_answer),
               bad = tried_by(relation::equal, 0.01, wrong_answer), broken = tried_by(relation::at_least, 0, crashing);
    const std::vector<tried> all{try_out(good, {}), try_out(bad, {}), try_out(broken, {})};
    EXPECT_EQ(count_text(all), "3 experiments: 1 holds, 2 do not.");
    EXPECT_EQ(count_text({all[0]}), "1 experiment: 1 holds.");
    const auto page = as_page(all);
    EXPECT_THAT(page, HasSubstr("| model.name | a\\|b | 1 + 1 | 2 GB/s | 2.01 GB/s | +0.50 % | within 1 % | holds |"));
    EXPECT_THAT(page, HasSubstr("| 3 GB/s | +50.00 % | within 1 % | does not hold |"));
    EXPECT_THAT(page, HasSubstr("| at least, exactly | error: out of order |"));
    const auto json = as_json(all);
    EXPECT_EQ(json[0]["verdict"], "holds");
    EXPECT_EQ(json[1]["verdict"], "does not hold");
    EXPECT_EQ(json[2]["detail"], "out of order");
    const auto stopping = tried_by(relation::equal, 0, stopping_one);
    EXPECT_THROW(try_out(stopping, {}), stopped);
}

TEST(physics, has_ids_that_are_chosen_by_model) {
    std::set<std::string> ids, models;
    for (const auto& e : experiments()) {
        EXPECT_TRUE(ids.insert(e.id).second) << e.id;
        EXPECT_NE(e.id.find('.'), std::string::npos) << e.id;
        EXPECT_FALSE(e.formula.empty()) << e.id;
        EXPECT_LE(e.tolerance, 0.1) << e.id;
        models.insert(group_of(e));
    }
    std::vector<std::string> unknown;
    selection wanted;
    wanted.rows = {"dram", "link.reads", "lnk"};
    const auto chosen = choose(wanted, experiments(), unknown);
    EXPECT_THAT(unknown, ElementsAre("lnk"));
    EXPECT_EQ(unknown_text("lnk", experiments()), "no row 'lnk' (did you mean 'link'?)");
    EXPECT_EQ(chosen.back()->id, "link.reads");
    EXPECT_GT(chosen.size(), 5u);
}

// The probes themselves, against arithmetic that needs no model: what is counted is what was asked for.
TEST(physics, probes_see_a_slower_part) {
    const run_environment environment;
    const auto usual = machine_of("gpus: 2"), slow = machine_of("gpus: 2, network: {link: {lane_rate: 4GB/s}}");
    stream t;
    t.ctas = 64;
    t.lines = 128;
    t.in_flight = 4;
    t.from = 1;
    EXPECT_NEAR(flow_of(usual, t, environment).gb_per_s / flow_of(slow, t, environment).gb_per_s, 2, 0.1);
    EXPECT_LT(latency_ns(usual, {0, 0, 512}, environment), latency_ns(usual, {1, 0, 512}, environment));
}

}  // namespace
}  // namespace contraflow::validate
