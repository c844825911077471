// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/graph/formula.h"
#include "workloads/traffic_machine.h"

namespace contraflow::workloads_test {
namespace {

TEST(survey_propagation, is_right_and_seen_when_wrong) {
    check("name: survey_propagation\nvariables: 90\nratio: 3.5\nrounds: 3\nsweeps: 4\n", {0, 12});
    check("name: survey_propagation\nvariables: 40\nratio: 4.2\nspread: true\nseed: 4\n", {0, 12});
}

// Warnings settle before the sweeps are over, and variables are fixed round by round until none is free.
TEST(survey_propagation, is_right_to_the_end) {
    check("name: survey_propagation\nvariables: 60\nratio: 2\nrounds: 4\nsweeps: 50\nleaning: 0\n", {0, 12});
}

TEST(survey_propagation, most_of_the_traffic_comes_out_of_one_socket) {
    traffic_machine machine(4);
    const auto w = selected("name: survey_propagation\nvariables: 20000\nrounds: 1\nsweeps: 1\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    const auto all = machine.sum_of("");
    EXPECT_GT(all.out[0], 10 * all.in[0]);
    EXPECT_GT(all.out[0], all.total() * 17 / 20);
}

TEST(formula, clauses_have_three_variables_each_in_both_senses) {
    const auto f = workloads::random_formula(50, 400, 9);
    ASSERT_EQ(f.clauses.size(), 400u);
    std::set<std::uint32_t> literals;
    for (const auto& c : f.clauses) {
        EXPECT_EQ((std::set<std::uint32_t>{c[0] / 2, c[1] / 2, c[2] / 2}).size(), 3u);
        literals.insert(c.begin(), c.end());
    }
    EXPECT_EQ(literals.size(), 100u);
    EXPECT_NE(workloads::random_formula(50, 400, 10).clauses, f.clauses);
    EXPECT_THROW(workloads::random_formula(2, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace contraflow::workloads_test
