// SPDX-License-Identifier: Apache-2.0
// What a file of litmus tests may hold, and what is said about all else.
#include "ordering/test_file.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace contraflow::ordering;
using ::testing::ElementsAre;

namespace {

const std::string good = R"([{"name": "t", "nodes": 2,
 "variables": {"x": {"node": 0}, "w": {"node": 0, "line": "l", "cached": true, "initial": 3}, "y": {"node": 1}},
 "queues": {"q": {"node": 0, "to": 1, "completion": "x", "entries": [
   {"slot": "w", "ready": 1, "op": "put", "from": "x", "to": "y"},
   {"slot": "w", "ready": 1, "op": "fence"},
   {"slot": "w", "ready": 1, "op": "inline", "value": 9, "to": "y"}]}},
 "threads": {"t0": {"node": 0, "program": [["store", "x", 1], ["doorbell", "q", 3], ["load", "x", "r"]]},
             "t1": {"node": 1, "program": [["wait_until", "y", 9]]}},
 "outcomes": [{"t0.r": 1}, {"t0.r": 0, "q": "bad_entry 2", "stuck": ["t1"]}]}])";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return text;
}

// Each problem as "path: message", and where it points: the text from there to the end of the line.
std::vector<std::string> problems_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::vector<std::string> all;
    for (const auto& p : parse_tests(text).problems) {
        const std::string there = p.line - 1 < lines.size() ? lines[p.line - 1].substr(p.column - 1) : "";
        all.push_back(p.path + ": " + p.message + " @ " + there.substr(0, 12));
    }
    return all;
}

}  // namespace

TEST(test_file, reads_every_part_of_a_test) {
    const auto file = parse_tests(good);
    ASSERT_TRUE(file.problems.empty());
    const litmus_test& t = file.cases.at(0);
    EXPECT_EQ(t.name, "t");
    EXPECT_EQ(t.nodes, 2u);
    ASSERT_EQ(t.variables.size(), 3u);  // by name: w, x, y
    EXPECT_EQ(t.variables[0].line, "l");
    EXPECT_EQ(t.variables[0].initial, 3u);
    EXPECT_TRUE(t.variables[0].cached);
    EXPECT_EQ(t.variables[1].line, "=x");
    EXPECT_FALSE(t.variables[1].cached);
    EXPECT_EQ(t.variables[2].node, 1u);
    const send_queue& q = t.queues.at(0);
    EXPECT_EQ(q.to, 1u);
    EXPECT_EQ(q.completion, 1u);
    ASSERT_EQ(q.entries.size(), 3u);
    EXPECT_EQ(q.entries[0].op, queue_entry::operation::put);
    EXPECT_EQ(q.entries[0].from, 1u);
    EXPECT_EQ(q.entries[0].to, 2u);
    EXPECT_EQ(q.entries[1].op, queue_entry::operation::fence);
    EXPECT_EQ(q.entries[2].carried, 9u);
    EXPECT_EQ(t.registers, std::vector<std::string>{"t0.r"});
    std::vector<std::string> program;
    for (const instruction& i : t.threads.at(0).program) program.push_back(to_text(t, i));
    EXPECT_THAT(program, ElementsAre("store x 1", "doorbell q 3", "load x t0.r"));
    ASSERT_TRUE(t.expected);
    EXPECT_EQ(to_json(t, *t.expected), "{\"name\": \"t\", \"outcomes\": [\n"
                                       "  {\"t0.r\": 0, \"q\": \"bad_entry 2\", \"stuck\": [\"t1\"]},\n"
                                       "  {\"t0.r\": 1}]}");
}

TEST(test_file, a_line_of_its_own_is_the_default) {
    EXPECT_EQ(parse_tests(changed(R"("line": "l", )", "")).cases.at(0).variables[0].line, "=w");
}

TEST(test_file, a_second_load_into_a_register_is_the_same_register) {
    const auto file = parse_tests(changed(R"(["store", "x", 1])", R"(["load", "x", "r"])"));
    EXPECT_EQ(file.cases.at(0).registers.size(), 1u);
}

TEST(test_file, takes_steps_and_forbidden_outcomes) {
    const auto file = parse_tests(
        changed(R"("nodes")", R"("about": "a", "step": "fence", "forbidden": [{"q": "bad_entry 0"}], "nodes")"));
    ASSERT_TRUE(file.problems.empty());
    const litmus_test& t = file.cases.at(0);
    EXPECT_EQ(t.step, "fence");
    outcome o{{7}, {0u}, {}};
    EXPECT_TRUE(t.forbidden.at(0).matches(o)) << "the register may have any value";
    o.bad_entry = {1u};
    EXPECT_FALSE(t.forbidden.at(0).matches(o));
    o.bad_entry = {std::nullopt};
    EXPECT_FALSE(t.forbidden.at(0).matches(o));
}

// Not expected, missing, forbidden and seen, not seen although a step is left out.
TEST(outcome, first_difference_is_told) {
    litmus_test t = parse_tests(good).cases.at(0);
    const outcome one{{1}, {std::nullopt}, {}}, stopped{{0}, {2u}, {1}}, other{{5}, {std::nullopt}, {}};
    EXPECT_EQ(first_difference(t, {stopped, one}), "");
    EXPECT_EQ(first_difference(t, {stopped, one, other}), R"({"t0.r": 5} is not expected)");
    EXPECT_EQ(first_difference(t, {one}), R"({"t0.r": 0, "q": "bad_entry 2", "stuck": ["t1"]} is missing)");
    t.expected.reset();
    t.forbidden = {{{5}, {std::nullopt}, std::nullopt}};
    EXPECT_EQ(first_difference(t, {one}), "");
    EXPECT_EQ(first_difference(t, {one, other}), R"({"t0.r": 5} is forbidden, and can happen)");
    t.step = "fence";
    EXPECT_EQ(first_difference(t, {one, other}), "");
    EXPECT_EQ(first_difference(t, {one}), R"({"t0.r": 5} cannot happen, although there is no fence)");
    t.forbidden = {{{std::nullopt}, {std::nullopt}, std::vector<unsigned>{1}}};
    EXPECT_EQ(first_difference(t, {stopped}), "");
    EXPECT_EQ(first_difference(t, {one}), R"({"stuck": ["t1"]} cannot happen, although there is no fence)");
}

TEST(outcome, sorts_by_text_and_keeps_one_of_each) {
    const litmus_test t = parse_tests(good).cases.at(0);
    const outcome one{{1}, {std::nullopt}, {}}, stopped{{1}, {0u}, {}}, zero{{0}, {std::nullopt}, {}};
    std::vector<outcome> all{one, zero, stopped, one};
    sort_by_text(t, all);
    EXPECT_EQ(all, (std::vector<outcome>{zero, stopped, one}));
}

TEST(test_file, says_what_is_wrong_where_it_is) {
    struct expectation {
        std::string from, to, problem;
    };
    const std::vector<expectation> all{
        {R"("nodes": 2)", R"("nodes": 0)", "[0].nodes: a whole number from 1 to 16 is wanted @ 0,"},
        {R"("queues")", R"("quues")", "[0]: unknown key 'quues' @ \"quues\": {\"q"},
        {R"("x": {"node": 0})", R"("v1": {"node": 0, "line": "L"}, "x": {"node": 0, "line": "L", "cached": true})",
         "[0].variables.x: line 'L' is in an uncached page, for another variable @ {\"node\": 0, "},
        {R"("x": {"node": 0})", R"("x": {"node": 2})",
         "[0].variables.x.node: a whole number from 0 to 1 is wanted @ 2}, \"w\": {\"n"},
        {R"("cached": true)", R"("cached": 1)", "[0].variables.w.cached: true or false is wanted @ 1, \"initial\""},
        {R"("initial": 3)", R"("initial": -3)",
         "[0].variables.w.initial: a whole number from 0 to 4294967295 is wanted @ -3}, \"y\": {\""},
        {R"("initial": 3)", R"("inital": 3)", "[0].variables.w: unknown key 'inital' @ \"inital\": 3}"},
        {R"("op": "put")", R"("op": "get")",
         "[0].queues.q.entries[0].op: no operation 'get'; there are put, inline, fence @ \"get\", \"from"},
        {R"("op": "fence")", R"("op": "fence", "to": "y")",
         "[0].queues.q.entries[1]: unknown key 'to' @ \"to\": \"y\"},"},
        {R"("to": "y"},)", R"("to": "x"},)",
         "[0].queues.q.entries[0].to: variable 'x' is at node 0, and node 1 is wanted @ \"x\"},"},
        {R"("from": "x", )", "", "[0].queues.q.entries[0]: 'from' is missing @ {\"slot\": \"w\""},
        {R"("completion": "x")", R"("completion": "z")",
         "[0].queues.q.completion: there is no variable 'z' @ \"z\", \"entrie"},
        {R"(["store", "x", 1])", R"(["stor", "x", 1])",
         "[0].threads.t0.program[0][0]: no instruction 'stor'; there are store, load, wait_until, ppb_invalidate, "
         "doorbell, wait, kernel_end (did you mean 'store'?) @ \"stor\", \"x\","},
        {R"(["store", "x", 1])", R"(["store", "x"])",
         "[0].threads.t0.program[0]: [\"store\", VARIABLE, VALUE] is wanted @ [\"store\", \"x"},
        {R"(["store", "x", 1])", R"(["wait", 1])", "[0].threads.t0.program[0]: [\"wait\"] is wanted @ [\"wait\", 1],"},
        {R"(["store", "x", 1])", R"("wait")",
         "[0].threads.t0.program[0]: an instruction is wanted, such as [\"store\", \"x\", 1] @ \"wait\", [\"do"},
        {R"(["store", "x", 1])", R"(["store", "y", 1])",
         "[0].threads.t0.program[0][1]: variable 'y' is at node 1, and node 0 is wanted @ \"y\", 1], [\"d"},
        {R"(["doorbell", "q", 3])", R"(["doorbell", "q", 4])",
         "[0].threads.t0.program[1][2]: a whole number from 1 to 3 is wanted @ 4], [\"load\","},
        {R"(["doorbell", "q", 3])", R"(["doorbell", "x", 3])",
         "[0].threads.t0.program[1][1]: there is no queue 'x' @ \"x\", 3], [\"l"},
        {R"(["wait_until", "y", 9])", R"(["doorbell", "q", 3])",
         "[0].threads.t1.program[0][1]: queue 'q' is at node 0, and node 1 is wanted @ \"q\", 3]]}},"},
        {R"({"t0.r": 1})", R"({"t0.s": 1})", "[0].outcomes[0]: unknown key 't0.s' @ \"t0.s\": 1}, "},
        {R"("bad_entry 2")", R"("bad_entry 3")",
         "[0].outcomes[1]: \"bad_entry N\" is wanted for queue 'q', with N from 0 to 2 @ {\"t0.r\": 0, "},
        {R"("stuck": ["t1"])", R"("stuck": ["t2"])",
         "[0].outcomes[1].stuck[0]: there is no thread 't2' (did you mean 't0'?) @ \"t2\"]}]}]"},
        {R"("nodes")", R"("forbidden": [{}], "nodes")",
         "[0].forbidden[0]: every outcome would be forbidden @ {}], \"nodes\""},
        {R"("program": [["wait)", R"("program": {}, "x": [["wait)",
         "[0].threads.t1: unknown key 'x' @ \"x\": [[\"wait"},
    };
    for (const auto& e : all) {
        const auto problems = problems_of(changed(e.from, e.to));
        EXPECT_THAT(problems, ::testing::Contains(e.problem)) << e.to << "\n" << ::testing::PrintToString(problems);
    }
    EXPECT_THAT(problems_of("{}"), ElementsAre(::testing::HasSubstr("a list of cases is wanted: [{\"name\"")));
    EXPECT_THAT(problems_of("[]"), ElementsAre(": holds no case @ []"));
    EXPECT_THAT(problems_of(good.substr(0, 20)), ElementsAre(::testing::HasSubstr("not JSON: ")));
    std::string twice = good;
    twice.insert(twice.size() - 1, ",\n" + good.substr(1, good.size() - 2));
    EXPECT_THAT(problems_of(twice), ElementsAre("[1].name: a second case named 't' @ \"t\", \"nodes\""));
    std::string stuck = changed(R"("queues": {"q")", R"("queues": {"stuck")");
    EXPECT_THAT(problems_of(stuck), ::testing::Contains(::testing::HasSubstr("there is no queue 'q'")));
    stuck.replace(stuck.find(R"(["doorbell", "q", 3])"), 20, R"(["doorbell", "stuck", 3])");
    EXPECT_THAT(problems_of(stuck),
                ::testing::Contains(::testing::HasSubstr("the name 'stuck' has another meaning in an outcome")));
}

TEST(test_file, has_limits) {
    std::string program = R"(["wait"])";
    for (unsigned i = 0; i < longest_program; ++i) program += R"(, ["wait"])";
    EXPECT_THAT(problems_of(changed(R"(["store", "x", 1])", program)),
                ElementsAre("[0].threads.t0.program: 67 instructions; at most 64 are allowed @ [[\"wait\"], ["));
    std::string variables;
    for (unsigned i = 0; i < most_named; ++i) variables += "\"v" + std::to_string(i) + R"(": {"node": 0}, )";
    EXPECT_THAT(problems_of(changed(R"("x": {"node": 0})", variables + R"("x": {"node": 0})")),
                ElementsAre("[0].variables: 67 of them; at most 64 are allowed @ {\"v0\": {\"nod"));
}
