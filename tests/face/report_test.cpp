// SPDX-License-Identifier: Apache-2.0
// report.json has the form that report.schema.json documents, and the schema would notice if it had not.
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"
#include "face/results/report_data.h"
#include "json_schema_check.h"

namespace face = contraflow::face;
namespace test = contraflow::test;
using json = nlohmann::ordered_json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

json schema() { return json::parse(test::read_file(REPORT_SCHEMA)); }

face::report_data everything() {
    face::report_data r;
    r.platform = "p";
    r.title = "t";
    r.levels = {{"pcie", "tlm"}};
    r.headline = {"h"};
    r.warnings = {"w"};
    face::chart bars{"c", "C", face::chart::kind::stacked_bar, {"x"}, {"y", "ns", true}, {"a"}};
    bars.series = {{"s", {{0, 1}, {0.5, std::numeric_limits<double>::quiet_NaN()}}}};
    bars.marks = {{0, 1, "m"}};
    face::tree_view tree{"tr", "Tr", {"root", "root complex"}};
    tree.root.children = {{"leaf", "endpoint", "about", "x16", 0.5, -1, "", "share", {}, true, false}};
    r.sections = {
        {"s",
         "S",
         {face::text_block{"text"}, face::table{"t", "T", {{"a", "ns"}}, {{"x"}, {1.5}, {std::int64_t{2}}}, "n"}, bars,
          face::timeline{"l", "L", {"time", "ms"}, {"r"}, {{"r", "b", "c", "d", 0, 1}}, "n"}, tree,
          face::steps{"st", "St", {"one"}, "n"}}}};
    r.statistics = {{"a.b", "mean", "ns", "text", 0.5}};
    r.conservation = {{"bytes", "B", 5, 4}};
    r.results["x"] = 1;
    return r;
}

json written(const face::report_data& r) { return json::parse(face::to_text(face::to_json(r))); }

}  // namespace

TEST(report_json, every_item_kind_fits_the_schema) {
    EXPECT_THAT(test::violations(written(everything()), schema()), IsEmpty());
    EXPECT_THAT(test::violations(written({}), schema()), IsEmpty());
}

TEST(report_json, holds_what_was_filled_in) {
    const json j = written(everything());
    EXPECT_EQ(j["schema"], "contraflow-report/1");
    EXPECT_EQ(j["levels"]["pcie"], "tlm");
    const json& items = j["sections"][0]["items"];
    EXPECT_EQ(items[1]["rows"].dump(), R"([["x"],[1.5],[2]])");
    EXPECT_EQ(items[2]["type"], "stacked_bar");
    EXPECT_TRUE(items[2]["series"][0]["points"][1][1].is_null()) << "NaN has no other form in JSON";
    EXPECT_EQ(items[4]["root"]["children"][0]["up_load"], 0.5);
    EXPECT_EQ(items[4]["root"]["children"][0]["up_limit"], true);
    EXPECT_EQ(items[4]["root"]["children"][0]["down_limit"], false);
    EXPECT_EQ(j["conservation"][0]["held"], false);
}

TEST(report_json, bytes_that_are_no_utf8_do_not_stop_it) {
    face::report_data r;
    r.title = "a\xFFz";
    EXPECT_EQ(written(r)["title"], "a\xEF\xBF\xBDz");
}

TEST(report_schema, notices_what_is_missing_wrong_or_too_much) {
    const auto broken = [](const std::function<void(json&)>& change) {
        json j = written(everything());
        change(j);
        return test::violations(j, schema());
    };
    EXPECT_THAT(broken([](json& j) { j.erase("title"); }), Contains(HasSubstr("lacks \"title\"")));
    EXPECT_THAT(broken([](json& j) { j["extra"] = 1; }), Contains(HasSubstr("/extra: is not foreseen")));
    EXPECT_THAT(broken([](json& j) { j["schema"] = "contraflow-report/2"; }), Contains(HasSubstr("/schema")));
    EXPECT_THAT(broken([](json& j) { j["headline"] = "one"; }), Contains(HasSubstr("/headline")));
    EXPECT_THAT(broken([](json& j) { j["sections"][0]["items"][0]["kind"] = "song"; }), Contains(HasSubstr("fits 0")));
    EXPECT_THAT(broken([](json& j) { j["sections"][0]["items"][2]["type"] = "pie"; }), Contains(HasSubstr("fits 0")));
    EXPECT_THAT(broken([](json& j) { j["sections"][0]["items"][4]["root"]["children"][0].erase("link"); }),
                Contains(HasSubstr("fits 0")));
    EXPECT_THAT(broken([](json& j) { j["conservation"][0]["in"] = -1; }), Contains(HasSubstr("too small")));
}

TEST(report_schema, the_validator_refuses_keywords_it_does_not_know) {
    EXPECT_THAT(test::violations(1, json{{"multipleOf", 2}}), Contains(HasSubstr("multipleOf")));
}

TEST(report_schema, every_field_is_documented) {
    const std::string page = test::read_file(RUN_DIRECTORY_PAGE);
    const json s = schema();
    for (const auto& [field, about] : s["properties"].items()) EXPECT_THAT(page, HasSubstr("`" + field + "`"));
    for (const auto& [kind, about] : s["$defs"].items()) {
        for (const auto& [field, type] : about["properties"].items()) EXPECT_THAT(page, HasSubstr(field)) << kind;
    }
}

TEST(report_schema, a_real_run_fits) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--out", "run"}, dir.path());
    EXPECT_EQ(run.wait().code, 0);
    const json j = json::parse(test::read_file(dir / "run" / "report.json"));
    EXPECT_THAT(test::violations(j, schema()), IsEmpty());
}
