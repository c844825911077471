// SPDX-License-Identifier: Apache-2.0
// The explorer finds exactly the outcomes of the worked tests, those worked out by hand, and those of another explorer.
#include "ordering/model/explorer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ordering/model/machine.h"
#include "ordering/outcomes.h"

using namespace contraflow::ordering;
using namespace contraflow::ordering::testing;
using ::testing::ElementsAre;

namespace {

// The outcomes of one test, whose inner part is given: variables, queues, threads.
std::vector<std::string> outcomes(const std::string& inner) {
    const auto all = tests_in(R"([{"name": "t", "nodes": 2, )" + inner + "}]");
    return all.size() == 1 ? texts(all[0], outcomes_of(all[0])) : std::vector<std::string>{};
}

}  // namespace

TEST(explorer, finds_the_complete_set_of_each_worked_test) {
    const auto all = tests_in(text_of(CF_TEST_DATA "/litmus/worked.json"));
    EXPECT_EQ(all.size(), 10u);
    for (const litmus_test& t : all) EXPECT_EQ(texts(t, outcomes_of(t)), texts(t, t.expected.value())) << t.name;
}

TEST(explorer, shipped_tests_have_the_outcomes_that_are_written_down_in_their_files) {
    auto all = tests_in(text_of(CF_SHIPPED_TESTS "/steps.json"));
    for (const litmus_test& t : all) EXPECT_FALSE(t.forbidden.empty()) << t.name;
    for (litmus_test& t : tests_in(text_of(CF_SHIPPED_TESTS "/rules.json"))) all.push_back(std::move(t));
    EXPECT_GE(all.size(), 40u);
    for (const litmus_test& t : all) {
        SCOPED_TRACE(t.name);
        EXPECT_EQ(first_difference(t, outcomes_of(t)), "");
        EXPECT_TRUE(t.expected);
    }
}

// Store buffering: each load may come before the other thread's store, but not before an own store that was awaited.
TEST(explorer, uncached_stores_are_buffered_until_they_are_awaited) {
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0}, "b": {"node": 0}}, "threads": {
        "t0": {"node": 0, "program": [["store", "a", 1], ["load", "b", "r"]]},
        "t1": {"node": 0, "program": [["store", "b", 1], ["load", "a", "r"]]}})"),
                ElementsAre(R"({"t0.r": 0, "t1.r": 0})", R"({"t0.r": 0, "t1.r": 1})", R"({"t0.r": 1, "t1.r": 0})",
                            R"({"t0.r": 1, "t1.r": 1})"));
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0}, "b": {"node": 0}}, "threads": {
        "t0": {"node": 0, "program": [["store", "a", 1], ["wait"], ["load", "b", "r"]]},
        "t1": {"node": 0, "program": [["store", "b", 1], ["wait"], ["load", "a", "r"]]}})"),
                ElementsAre(R"({"t0.r": 0, "t1.r": 1})", R"({"t0.r": 1, "t1.r": 0})", R"({"t0.r": 1, "t1.r": 1})"));
}

TEST(explorer, cached_stores_of_threads_meet_in_the_l2_in_program_order) {
    EXPECT_THAT(
        outcomes(R"("variables": {"a": {"node": 0, "cached": true}, "b": {"node": 0, "cached": true}},
        "threads": {"t0": {"node": 0, "program": [["store", "a", 1], ["store", "b", 1]]},
                    "t1": {"node": 0, "program": [["load", "b", "r0"], ["load", "a", "r1"]]}})"),
        ElementsAre(R"({"t1.r0": 0, "t1.r1": 0})", R"({"t1.r0": 0, "t1.r1": 1})", R"({"t1.r0": 1, "t1.r1": 1})"));
}

TEST(explorer, a_load_sees_an_own_store_and_stores_to_one_variable_stay_in_order) {
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0}}, "threads": {
        "t0": {"node": 0, "program": [["store", "a", 1], ["store", "a", 2], ["load", "a", "r"]]}})"),
                ElementsAre(R"({"t0.r": 2})"));
}

TEST(explorer, a_thread_that_waits_for_what_never_comes_is_stuck_and_its_registers_are_zero) {
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0}}, "threads": {
        "t0": {"node": 0, "program": [["store", "a", 1]]},
        "t1": {"node": 0, "program": [["wait_until", "a", 2], ["load", "a", "r"]]}})"),
                ElementsAre(R"({"t1.r": 0, "stuck": ["t1"]})"));
}

// t1 has the line with a = 0 in the L2, and would wait for ever if lines did not leave.
TEST(explorer, nobody_is_stuck_for_a_stale_copy_alone) {
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 1, "cached": true}, "w": {"node": 0, "initial": 1}},
        "queues": {"q": {"node": 0, "to": 1, "entries": [{"slot": "w", "ready": 1, "op": "inline", "value": 7, "to": "a"}]}},
        "threads": {"t0": {"node": 0, "program": [["doorbell", "q", 1]]},
                    "t1": {"node": 1, "program": [["load", "a", "r0"], ["wait_until", "a", 7]]}})"),
                ElementsAre(R"({"t1.r0": 0})", R"({"t1.r0": 7})"));
}

// A line is brought as a whole: b is read with a, before it is stored.
TEST(explorer, variables_of_a_line_come_and_go_together) {
    const std::string rest = R"("y": {"node": 1}, "z": {"node": 1}, "w": {"node": 0, "initial": 1}, "c": {"node": 0}},
        "queues": {"q": {"node": 0, "to": 1, "completion": "c", "entries": [
            {"slot": "w", "ready": 1, "op": "put", "from": "a", "to": "y"},
            {"slot": "w", "ready": 1, "op": "put", "from": "b", "to": "z"}]}},
        "threads": {"t0": {"node": 0, "program": [["doorbell", "q", 1], ["wait_until", "c", 1], ["store", "b", 1],
                                                  ["wait"], ["doorbell", "q", 2]]},
                    "t1": {"node": 1, "program": [["wait_until", "z", 1]]}})";
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0}, "b": {"node": 0}, )" + rest), ElementsAre("{}"));
    EXPECT_THAT(outcomes(R"("variables": {"a": {"node": 0, "line": "l"}, "b": {"node": 0, "line": "l"}, )" + rest),
                ElementsAre(R"({"stuck": ["t1"]})", "{}"));
}

TEST(explorer, a_queue_stops_at_an_entry_that_is_not_ready) {
    EXPECT_THAT(outcomes(R"("variables": {"w": {"node": 0, "initial": 1}, "v": {"node": 0}, "y": {"node": 1}},
        "queues": {"q": {"node": 0, "to": 1, "entries": [{"slot": "w", "ready": 1, "op": "inline", "value": 7, "to": "y"},
            {"slot": "v", "ready": 1, "op": "inline", "value": 8, "to": "y"}]}},
        "threads": {"t0": {"node": 0, "program": [["doorbell", "q", 2]]},
                    "t1": {"node": 1, "program": [["wait_until", "y", 7], ["wait_until", "y", 8]]}})"),
                ElementsAre(R"({"q": "bad_entry 1", "stuck": ["t1"]})"));
}

TEST(explorer, tells_a_shortest_interleaving_for_each_outcome) {
    const auto all = tests_in(R"([{"name": "t", "nodes": 2, "variables": {"w": {"node": 0}, "y": {"node": 1}},
        "queues": {"q": {"node": 0, "to": 1, "entries": [{"slot": "w", "ready": 1, "op": "inline", "value": 7, "to": "y"}]}},
        "threads": {"t0": {"node": 0, "program": [["store", "w", 1], ["doorbell", "q", 1]]}}}])");
    const auto e = model::explore(all.at(0), {enough, {}});
    ASSERT_EQ(e.outcomes.size(), 2u);
    EXPECT_THAT(e.outcomes[0].witness,
                ElementsAre("t0: store w 1, pending", "t0: doorbell q 1, pending", "t0: doorbell q 1 reaches the NIC",
                            "q: entry 0: reads slot w = 0 from memory; it is not ready, the queue stops",
                            "t0: store w 1 reaches memory"));
    EXPECT_THAT(e.outcomes[1].witness,
                ElementsAre("t0: store w 1, pending", "t0: doorbell q 1, pending", "t0: store w 1 reaches memory",
                            "t0: doorbell q 1 reaches the NIC", "q: entry 0: reads slot w = 1 from memory",
                            "q: entry 0: y = 7 arrives in the write combiner of node 1",
                            "node 1: y = 7 leaves the write combiner for memory"));
}

TEST(explorer, counts_different_states_and_the_steps_between_them) {
    const auto all = tests_in(R"([{"name": "t", "nodes": 1, "variables": {"a": {"node": 0}, "b": {"node": 0}},
        "threads": {"t0": {"node": 0, "program": [["store", "a", 1], ["store", "b", 1]]}}}])");
    const auto e = model::explore(all.at(0), {enough, {}});
    // No store issued; one, pending or in memory; both, each of them pending or in memory.
    EXPECT_EQ(e.states, 7u);
    EXPECT_EQ(e.steps, 8u);
}

TEST(explorer, stops_at_the_limit_of_states_and_when_it_is_told) {
    const auto all = tests_in(text_of(CF_TEST_DATA "/litmus/worked.json"));
    const auto limited = model::explore(all[0], {100, {}});
    EXPECT_EQ(limited.end, model::exploration::ending::too_many_states);
    EXPECT_LT(limited.states, 110u);
    const auto told = model::explore(all[0], {enough, [](std::uint64_t) { return false; }});
    EXPECT_EQ(told.end, model::exploration::ending::interrupted);
}

TEST(explorer, refuses_more_writes_to_a_variable_than_its_state_holds) {
    litmus_test t = tests_in(text_of(CF_TEST_DATA "/litmus/worked.json"))[0];
    EXPECT_EQ(model::machine::problem_of(t), "");
    // Values 0 and 1 take a bit each.
    for (queue_entry& e : t.queues[0].entries) e.op = queue_entry::operation::fence;
    const queue_entry one{t.queues[0].entries[0].slot, 1, queue_entry::operation::inline_value, 0,
                          t.queues[0].entries[0].to,   1};
    for (int i = 0; i < 64; ++i) t.queues[0].entries.push_back(one);
    EXPECT_EQ(model::machine::problem_of(t), "");
    t.queues[0].entries.push_back(one);
    EXPECT_EQ(model::machine::problem_of(t),
              "65 messages and completions write to " + t.variables[one.to].name + "; the model holds 64 of them");
}
