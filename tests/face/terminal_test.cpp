// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/terminal.h"

#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "face/terminal/text_layout.h"

namespace face = contraflow::face;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

face::table example() {
    return {"t",
            "Times",
            {{"communication"}, {"size", "MiB"}, {"factor"}, {"held back by"}},
            {{"gpu0→gpu1", std::int64_t{20736}, 1.9083, "upstream share"}, {"日", std::int64_t{7}, 1.0, "-"}},
            "",
            true};
}

std::string printed(const face::table& t, face::page_width width = {}) {
    std::ostringstream out;
    face::print_table(out, t, width);
    return out.str();
}

std::string printed(const face::report_data& report, bool brief = false) {
    std::ostringstream out;
    face::print_report(out, report, {40, 40}, brief);
    return out.str();
}

}  // namespace

TEST(terminal, a_table_is_aligned_with_units_below_the_names) {
    EXPECT_EQ(printed(example()), "Times\n"
                                  "communication    size  factor  held back by\n"
                                  "                  MiB\n"
                                  "gpu0→gpu1      20,736   1.908  upstream share\n"
                                  "日                  7   1.000  -\n");
}

TEST(terminal, a_table_without_units_has_no_row_for_them) {
    const face::table t{"t", "", {{"a"}, {"b"}}, {{"x", "y"}}, "", true};
    EXPECT_EQ(printed(t), "a  b\nx  y\n");
}

TEST(terminal, a_narrow_terminal_wraps_cells_and_loses_nothing) {
    face::table t = example();
    t.rows[0][3] = "the share of the upstream port of switch one, which three others want as well";
    t.note = "A note that is far too long for one line of a terminal of so few columns.";
    const std::string text = printed(t, {60, 60});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(face::display_width(line), 60u) << line;
    for (const char* word : {"upstream", "switch", "three", "others", "columns."}) EXPECT_THAT(text, HasSubstr(word));
}

TEST(terminal, a_short_row_and_an_empty_table_are_no_accident) {
    face::table t = example();
    t.rows = {{"only one"}};
    EXPECT_THAT(printed(t), HasSubstr("only one\n"));
    t.rows.clear();
    EXPECT_THAT(printed(t), HasSubstr("communication  size  factor  held back by\n"));
}

TEST(terminal, a_tree_shows_branches_and_loads) {
    face::tree_view tree{"t", "", {"root", "root complex"}, "", true};
    tree.root.children = {{"sw0", "switch", "", "x16", 0.45, 1, "", "downstream share", {{"gpu0", "endpoint"}}},
                          {"gpu1", "endpoint"}};
    std::ostringstream out;
    face::print_tree(out, tree, {});
    EXPECT_EQ(out.str(), "node        kind          link  up  down\n"
                         "                                 %     %\n"
                         "root        root complex         -     -\n"
                         "├─ sw0      switch        x16   45   100  downstream share\n"
                         "│  └─ gpu0  endpoint             -     -\n"
                         "└─ gpu1     endpoint             -     -\n");
}

TEST(terminal, the_report_begins_with_what_matters) {
    face::report_data report;
    report.platform = "pcie_tree";
    report.title = "halo";
    report.levels = {{"pcie", "closed form"}, {"links", "x"}};
    report.headline = {"The best order takes 1.2 ms."};
    report.warnings = {"a port carries more than its rate says it can, in the published rules"};
    report.sections = {{"s", "S", {face::text_block{"visible"}, face::text_block{"hidden", false}, example()}}};
    report.sections[0].items.emplace_back(face::steps{"o", "Order", {"send to gpu1", "send to gpu2"}, "", true});
    report.sections[0].items.emplace_back(face::chart{"c", "a chart"});
    const std::string full = printed(report);
    EXPECT_EQ(full.substr(0, full.find("visible")), "pcie_tree: halo (pcie: closed form,\nlinks: x)\n"
                                                    "The best order takes 1.2 ms.\n"
                                                    "warning: a port carries more than its\n"
                                                    "         rate says it can, in the\n"
                                                    "         published rules\n\n");
    EXPECT_THAT(full, HasSubstr("Order\n  1. send to gpu1\n  2. send to gpu2\n"));
    EXPECT_THAT(full, Not(HasSubstr("hidden")));
    EXPECT_THAT(full, Not(HasSubstr("a chart")));
    EXPECT_THAT(printed(report, true), Not(HasSubstr("visible")));
    EXPECT_THAT(printed(report, true), HasSubstr("1.2 ms"));
}

TEST(terminal, names_from_outside_are_made_harmless) {
    face::table t{"t", "", {{"n"}}, {{"a\x1b]0;owned\a"}}, "", true};
    EXPECT_THAT(printed(t), Not(HasSubstr("\x1b")));
}
