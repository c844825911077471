// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::communication_spec;
using config_test::link_spec;
using config_test::rich_spec;
using config_test::tree_spec;
using testing::HasSubstr;

TEST(describe, is_a_table) {
    EXPECT_EQ(describe<link_spec>(),
              "KEY          TYPE                                   DEFAULT     WHAT\n"
              "lanes        whole number, 1 to 64, a power of two  16          lanes in each direction\n"
              "lane_rate    bandwidth, at least 2Gb/s              8GB/s       rate of a lane\n"
              "sample_time  cycles                                 5000cycles  time between two decisions\n"
              "reversible   true or false                          true        whether lanes may turn\n");
}

TEST(describe, goes_into_nested_structs_and_stops_at_recursion) {
    const auto text = describe<rich_spec>();
    EXPECT_THAT(text, HasSubstr("\nlink.lanes "));
    EXPECT_THAT(text, HasSubstr("\ntree.children "));
    EXPECT_THAT(text, HasSubstr("list of map"));
    EXPECT_THAT(text, HasSubstr("nodes below (as above)\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr("tree.children[].name")));
    EXPECT_THAT(text, HasSubstr("\ncommunications[].to "));
    EXPECT_THAT(text, HasSubstr("TLPs an input may send in its turn (TLPs)\n"));
    const auto rows = document(structure_of<rich_spec>());
    const auto row = [&](const std::string& key) {
        for (const auto& r : rows) {
            if (r.key == key) return r;
        }
        return documentation_row{};
    };
    EXPECT_EQ(row("link.lanes").default_value, "4") << "the parent's own initialiser";
    EXPECT_EQ(row("tree.up.lanes").default_value, "8");
    EXPECT_EQ(row("tree.name").default_value, "required");
    EXPECT_EQ(row("socket_link").default_value, "absent");
    EXPECT_EQ(row("spare.lanes").default_value, "16");
    EXPECT_EQ(row("weights").default_value, "[1, 1]");
    EXPECT_EQ(row("weights").type, "list of whole number, 1 to 1000, at least one element");
    EXPECT_EQ(row("kind").type, "round_robin | weighted | oldest_first");
}

TEST(markdown, is_a_table) {
    EXPECT_EQ(markdown<communication_spec>(), "| key | type | default | meaning |\n|---|---|---|---|\n"
                                              "| `from` | text | `required` | who sends |\n"
                                              "| `to` | text | `required` | who receives |\n"
                                              "| `size` | size, 1B to 1TiB | `1MiB` | amount |\n"
                                              "| `start` | time | `absent` | when it begins; absent: at once |\n");
    EXPECT_THAT(markdown<rich_spec>(), HasSubstr("| `kind` | round_robin \\| weighted \\| oldest_first |"));
}

TEST(schema, of_a_flat_struct) {
    const auto schema = json_schema<link_spec>("a link");
    const auto expected = nlohmann::ordered_json::parse(R"json({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a link",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "lanes": {"description": "lanes in each direction (1 to 64, a power of two)", "type": "integer",
                      "minimum": 1, "maximum": 64, "default": 16},
            "lane_rate": {"description": "rate of a lane (at least 2Gb/s)",
                          "anyOf": [{"type": "string", "pattern": ""}, {"const": 0}], "default": "8GB/s"},
            "sample_time": {"description": "time between two decisions",
                            "anyOf": [{"type": "string", "pattern": ""}, {"const": 0}], "default": "5000cycles"},
            "reversible": {"description": "whether lanes may turn", "type": "boolean", "default": true}
        }
    })json");
    auto without_patterns = schema;
    for (const auto* key : {"lane_rate", "sample_time"})
        without_patterns["properties"][key]["anyOf"][0]["pattern"] = "";
    EXPECT_EQ(without_patterns.dump(1), expected.dump(1));
}

TEST(schema, of_lists_choices_and_recursion) {
    const auto schema = json_schema<rich_spec>("rich");
    const auto& p = schema["properties"];
    EXPECT_EQ(p["weights"]["items"]["maximum"], 1000);
    EXPECT_EQ(p["weights"]["default"].dump(), "[1,1]");
    EXPECT_EQ(p["kind"]["enum"].dump(), R"(["round_robin","weighted","oldest_first"])");
    EXPECT_EQ(p["kind"]["default"], "round_robin");
    EXPECT_EQ(p["tilt"]["minimum"], -128);
    EXPECT_EQ(p["seed"]["maximum"], std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(p["link"]["properties"]["lanes"]["default"], 4);
    EXPECT_EQ(p["socket_link"]["anyOf"][1]["type"], "null");
    EXPECT_FALSE(p["socket_link"].contains("default"));
    EXPECT_EQ(p["communications"]["items"]["required"].dump(), R"(["from","to"])");
    EXPECT_EQ(p["tree"]["$ref"], "#/$defs/tree");
    const auto& tree = schema["$defs"]["tree"];
    EXPECT_EQ(tree["additionalProperties"], false);
    EXPECT_EQ(tree["properties"]["children"]["items"]["$ref"], "#/$defs/tree");
    EXPECT_EQ(json_schema<tree_spec>("t")["$ref"], "#/$defs/configuration");
}

// The schema's pattern and the reader must accept the same texts.
template <class T> void compare_pattern(const std::vector<std::string>& texts) {
    const auto pattern = std::string(scalars::quantity_traits<T>::pattern);
    const std::regex schema(pattern, std::regex::ECMAScript);
    for (const auto& text : texts) {
        const auto read = core::parse_unit<T>(text);
        const bool form =
            read || read.error == core::unit_error::not_whole || read.error == core::unit_error::too_large;
        EXPECT_EQ(std::regex_match(text, schema), form) << text << " against " << pattern;
    }
}

TEST(schema, patterns_accept_what_is_read) {
    const std::vector<std::string> texts{
        "1B",     "300MiB", "64kB", "64KB",   "1.5GiB", ".5TB",   "5.TiB",      "1e3B",      "1E-3kB",
        "+3B",    " 3 MB ", "3",    "-3B",    "B",      "64GB/s", "1Gb/s",      "11.6GiB/s", "1kiB/s",
        "1KiB/s", "1Kb/s",  "3b/s", "3Mb/s",  "1GB/S",  "1GBs",   "5000cycles", "1cycle",    "5kcy",
        "3cy",    "2Mcy",   "2Gcy", "1.4GHz", "3Hz",    "2kHz",   "7MHz",       "1THz",      "1.8us",
        "3ps",    "4ns",    "5ms",  "6s",     "7min",   "1..2s",  "1e s",       "e3s",       "1s s",
        "3 s",    "MiB",    "3mb",  "3gb",    "3kB ",   ""};
    compare_pattern<core::bytes>(texts);
    compare_pattern<core::bandwidth>(texts);
    compare_pattern<core::cycles>(texts);
    compare_pattern<core::frequency>(texts);
    compare_pattern<core::sim_time>(texts);
}

}  // namespace
}  // namespace contraflow::config
