// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specs.h"
#include "sweep/effective_configuration.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(effective_configuration, has_every_single_value_by_its_path) {
    EXPECT_THAT(values_of("# comment\na: 1 # [default]\nb:\n  - {c: x, d: [1, 2]}\n  - {c: null, d: []}\n"),
                ElementsAre(Pair("a", "1"), Pair("b[0].c", "x"), Pair("b[0].d[0]", "1"), Pair("b[0].d[1]", "2"),
                            Pair("b[1].c", "null"), Pair("b[1].d", "[]")));
}

TEST(effective_configuration, an_absent_value_is_not_the_text_null) {
    EXPECT_NE(values_of("a: null"), values_of("a: \"null\""));
    EXPECT_NE(values_of("a: []"), values_of("a: \"[]\""));
    EXPECT_EQ(values_of("a: x"), values_of("a: \"x\""));
}

TEST(effective_configuration, counts_elements) {
    effective_configuration e;
    e.values = values_of("b: [{c: 1}, {c: 2, d: [7, 8]}]\nbb: []\nx: 1");
    EXPECT_EQ(e.elements("b"), 2U);
    EXPECT_EQ(e.elements("b[1].d"), 2U);
    EXPECT_EQ(e.elements("bb"), 0U);
    EXPECT_EQ(e.elements("x"), std::nullopt);
    EXPECT_EQ(e.value("b[1].c"), "2");
    EXPECT_EQ(e.value("b"), std::nullopt);
}

TEST(complaints, are_read_as_they_were_written) {
    const auto said = complaints_in("warning: not this one\n"
                                    "--set:2:5: error: unknown key 'lanse' in link\n"
                                    "    2 | link.lanse=4\n"
                                    "      |     ^~~~~  did you mean 'lanes'? known: lanes\n"
                                    "some dir/t2.yaml:14: error: a loop: a, b\n"
                                    "t2.yaml: warning: odd\n"
                                    "   14 |   lane_wdith: 16\n"
                                    "      |   ^~~  a hint of the warning\n"
                                    "error: 'tree' is missing; wanted: a map\n");
    ASSERT_EQ(said.size(), 3U);
    EXPECT_EQ(said[0].at, (config::location{"--set", 2, 5}));
    EXPECT_EQ(said[0].message, "unknown key 'lanse' in link");
    EXPECT_EQ(said[0].hint, "did you mean 'lanes'? known: lanes");
    EXPECT_EQ(said[1].at, (config::location{"some dir/t2.yaml", 14, 0}));
    EXPECT_EQ(said[1].hint, "");
    EXPECT_EQ(said[2].at, (config::location{"", 0, 0}));
    EXPECT_EQ(said[2].message, "'tree' is missing; wanted: a map");
}

TEST(files_named, are_found_beside_the_configuration_and_the_sweep) {
    const fs::path folder = sweep_test::own_folder("files_named");
    fs::create_directories(folder / "other");
    std::ofstream(folder / "graph.mtx") << "1";
    std::ofstream(folder / "other" / "trace.csv") << "2";
    const auto values = values_of("a: graph.mtx\nb: trace.csv\nc: none.csv\nd: other\ne: 12");
    EXPECT_THAT(files_named_in(values, {folder, folder / "other"}),
                ElementsAre(folder / "graph.mtx", folder / "other" / "trace.csv"));
    EXPECT_THAT(files_named_in(values_of("a: " + (folder / "graph.mtx").string()), {"/"}),
                ElementsAre(folder / "graph.mtx"));
    fs::remove_all(folder);
}

}  // namespace
}  // namespace contraflow::sweep
