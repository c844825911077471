// SPDX-License-Identifier: Apache-2.0
// Case files with every possible mistake: an error with its place, never a crash.
#include "pcie/model/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contraflow::pcie::model {
namespace {

using testing::HasSubstr;
using json = nlohmann::json;

json good() {
    return json::parse(
        R"({"cases": [{"name": "one", "about": "x", "source": "y", "bandwidth_gib_per_s": 11.6, "tau": 0.2,
        "tree": {"name": "rc", "kind": "root_complex", "children": [
            {"name": "sw", "kind": "switch", "children": [{"name": "gpu0", "kind": "endpoint"},
                                                          {"name": "gpu1", "kind": "endpoint"}]},
            {"name": "gpu2", "kind": "endpoint", "children": []}]},
        "communications": [{"name": "a", "from": "gpu0", "to": "gpu1", "bytes": 1000, "start_ms": 0},
                           {"name": "b", "from": "gpu2", "to": "gpu1", "bytes": 1000, "start_ms": 0.5}]}]})");
}

std::string first_error(const json& document) {
    const std::string text = document.dump(1);
    const case_file file = parse_cases(text);
    return file.problems.empty() ? "" : to_text(file.problems.front(), "cases.json");
}

std::string after(const std::string& pointer, const json& value) {
    json document = good();
    document[json::json_pointer("/cases/0" + pointer)] = value;
    return first_error(document);
}

std::string without(const std::string& pointer, const std::string& key) {
    json document = good();
    document[json::json_pointer("/cases/0" + pointer)].erase(key);
    return first_error(document);
}

TEST(case_file, a_good_one_has_no_errors) {
    EXPECT_EQ(first_error(good()), "");
    const case_file file = parse_cases(good().dump());
    ASSERT_EQ(file.cases.size(), 1u);
    EXPECT_EQ(file.cases[0].options.tau, 0.2);
    EXPECT_EQ(file.cases[0].communications[1].start_s, 0.5e-3);
    EXPECT_EQ(file.cases[0].communications[1].size.count, 1000u);
}

TEST(case_file, wrong_values_are_named_with_their_place_and_the_nearest_valid_name) {
    EXPECT_THAT(
        after("/tree/children/0/kind", "swich"),
        HasSubstr("cases[0].tree.children[0].kind: unknown kind 'swich'; known are root_complex, switch, endpoint "
                  "(did you mean 'switch'?)"));
    EXPECT_THAT(after("/communications/1/to", "gpu11"),
                HasSubstr("cases[0].communications[1].to: unknown endpoint 'gpu11' (did you mean 'gpu1'?)"));
    EXPECT_THAT(after("/communications/1/to", "sw"), HasSubstr("'sw' is not an endpoint"));
    EXPECT_THAT(after("/communications/1/to", "gpu2"), HasSubstr("from and to are both 'gpu2'"));
    EXPECT_THAT(after("/communications/1/bytes", -1), HasSubstr("communications[1].bytes: -1 is not a whole number"));
    EXPECT_THAT(after("/communications/1/bytes", 1.5), HasSubstr("1.5 is not a whole number"));
    EXPECT_THAT(after("/communications/1/bytes", 1e300), HasSubstr("is not a whole number from 1 to 2^53"));
    EXPECT_THAT(after("/communications/1/bytes", "many"), HasSubstr("bytes: is a string, not a number"));
    EXPECT_THAT(after("/communications/1/start_ms", -0.5), HasSubstr("-0.5 is below 0"));
    EXPECT_THAT(after("/communications/1/name", "a"), HasSubstr("a second communication named 'a'"));
    EXPECT_THAT(after("/communications/1/name", ""), HasSubstr("communications[1].name: is empty"));
    EXPECT_THAT(after("/communications/1", nullptr), HasSubstr("communications[1]: is null, not an object"));
    EXPECT_THAT(after("/communications", json::array()), HasSubstr("communications: is empty"));
    EXPECT_THAT(after("/communications", json::object()), HasSubstr("is an object, not an array"));
    EXPECT_THAT(after("/tree/children/1/name", "gpu0"), HasSubstr("a second node named 'gpu0'"));
    EXPECT_THAT(after("/tree/children/1/children/0", {{"name", "x"}, {"kind", "endpoint"}}),
                HasSubstr("tree.children[1].children: an endpoint has no children"));
    EXPECT_THAT(after("/tree/kind", "switch"), HasSubstr("tree.kind: the root must be the root_complex"));
    EXPECT_THAT(after("/tree/children/0/kind", "root_complex"), HasSubstr("a root_complex below the root"));
    EXPECT_THAT(after("/tree/children", 3), HasSubstr("tree.children: is a number, not an array"));
    EXPECT_THAT(after("/tree", json::array()), HasSubstr("tree: is an array, not an object"));
    EXPECT_THAT(after("/tau", 1.0), HasSubstr("cases[0].tau: 1 is out of range: allowed is 0 <= tau < 1"));
    EXPECT_THAT(after("/tua", 0.1), HasSubstr("cases[0]: unknown key 'tua'"));
    EXPECT_EQ(after("/my_own_remark", "welcome"), "");
    EXPECT_THAT(after("/bandwidth_gib_per_s", 0), HasSubstr("0 is not above 0"));
    EXPECT_THAT(after("/name", 7), HasSubstr("cases[0].name: is a number, not a string"));
    json twice = good();
    twice["cases"].push_back(twice["cases"][0]);
    EXPECT_THAT(first_error(twice), HasSubstr("cases[1].name: a second case named 'one'"));
}

TEST(case_file, missing_keys_are_named) {
    for (const char* key : {"name", "bandwidth_gib_per_s", "tree", "communications"})
        EXPECT_THAT(without("", key), HasSubstr(std::string("cases[0]: '") + key + "' is missing"));
    for (const char* key : {"name", "from", "to", "bytes", "start_ms"})
        EXPECT_THAT(without("/communications/0", key),
                    HasSubstr(std::string("communications[0]: '") + key + "' is missing"));
    for (const char* key : {"name", "kind"})
        EXPECT_THAT(without("/tree/children/0", key), HasSubstr(std::string("children[0]: '") + key + "' is missing"));
    EXPECT_EQ(without("", "about"), "");
    EXPECT_EQ(without("", "tau"), "");
    EXPECT_THAT(first_error(json::array()), HasSubstr("expected an object with an array 'cases'"));
}

TEST(case_file, an_error_points_at_line_and_column) {
    const std::string text = "{\"cases\": [\n  {\"name\": \"a \\\" ]\",\n   \"tree\": [],\n   \"tau\": 7}]}";
    const case_file file = parse_cases(text);
    ASSERT_EQ(file.problems.size(), 4u);  // bandwidth, tau, tree, communications
    EXPECT_EQ(to_text(file.problems[1], "f.json"),
              "f.json:4:11: error: cases[0].tau: 7 is out of range: allowed is 0 <= tau < 1");
    EXPECT_EQ(to_text(file.problems[2], "f.json"), "f.json:3:12: error: cases[0].tree: is an array, not an object");
}

TEST(case_file, what_is_not_json_is_an_error_with_line_and_column) {
    const case_file file = parse_cases("{\"cases\": [\n  {\"name\": }]}");
    ASSERT_EQ(file.problems.size(), 1u);
    EXPECT_EQ(file.problems[0].line, 2u);
    EXPECT_EQ(file.problems[0].column, 12u);
    EXPECT_THAT(file.problems[0].message, HasSubstr("not JSON"));
    for (const std::string text :
         {"", "null", "[", "{\"cases\": [1]}", "\xff\xfe", "{\"cases\": [{\"tau\": 1e999}]}", "{\"cases\""})
        EXPECT_FALSE(parse_cases(text).problems.empty()) << text;
}

TEST(case_file, a_tree_nested_too_deeply_is_refused) {
    std::string text =
        "{\"cases\": [{\"name\": \"deep\", \"bandwidth_gib_per_s\": 1, \"communications\": [], \"tree\": ";
    for (int i = 0; i < 100'000; ++i) text += "{\"name\": \"n\", \"kind\": \"switch\", \"children\": [";
    for (int i = 0; i < 100'000; ++i) text += "]}";
    const case_file file = parse_cases(text + "}]}");
    ASSERT_FALSE(file.problems.empty());
    bool said = false;
    for (const auto& p : file.problems) said = said || p.message == "a tree deeper than 64 levels";
    EXPECT_TRUE(said);
}

TEST(case_file, many_errors_are_cut_off) {
    json document = good();
    for (int i = 0; i < 1000; ++i) document["cases"][0]["communications"].push_back(i);
    EXPECT_EQ(parse_cases(document.dump()).problems.size(), 100u);
}

// Every prefix of a file has a problem in its one line; so has every file with one character replaced, or its cases are
// evaluated.
TEST(case_file, survives_damage) {
    const std::string text = good().dump();
    for (std::size_t i = 0; i < text.size(); ++i) {
        const case_file prefix = parse_cases(text.substr(0, i));
        ASSERT_EQ(prefix.problems.size(), 1u) << i;
        EXPECT_EQ(prefix.problems[0].line, 1u) << i;
        EXPECT_LE(prefix.problems[0].column, i + 1) << i;
        for (const char c : {'}', '"', '9', ','}) {
            std::string damaged = text;
            damaged[i] = c;
            const case_file file = parse_cases(damaged);
            for (const auto& problem : file.problems) EXPECT_EQ(problem.line, 1u) << damaged;
            if (!file.problems.empty()) continue;
            for (const case_input& input : file.cases) {
                const case_result result = evaluate(input);
                EXPECT_EQ(result.communications.size(), result.error.empty() ? input.communications.size() : 0u)
                    << damaged;
            }
        }
    }
}

TEST(case_file, results_have_the_form_of_the_expected_values) {
    const case_file file = parse_cases(good().dump());
    const auto written = to_json({evaluate(file.cases[0])});
    ASSERT_EQ(written.size(), 1u);
    EXPECT_EQ(written[0]["name"], "one");
    EXPECT_EQ(written[0]["communications"][0]["name"], "a");
    EXPECT_EQ(written[0]["communications"][0]["factor"], 1.0);
    EXPECT_NEAR(written[0]["communications"][0]["time_ms"].get<double>(), 1000.0 / (11.6 * 1073741824.0) * 1e3, 1e-12);
    EXPECT_EQ(to_json({{"stuck", {}, "no progress"}}).dump(), R"([{"name":"stuck","error":"no progress"}])");
}

}  // namespace
}  // namespace contraflow::pcie::model
