// SPDX-License-Identifier: Apache-2.0
// The table's own rules: bands, verdicts, choice of rows, and its output formats.
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validate/table/outcome.h"
#include "validate/table/rows.h"
#include "validate/table/selection.h"

namespace contraflow::validate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

measurement one_and_a_half(const run_environment&) { return {{1.5}, "how it was done.", "why not.", {}}; }
measurement crash(const run_environment&) { throw std::runtime_error("out of order"); }
measurement stop(const run_environment&) { throw stopped(); }

row fake(const char* id, band agrees, measurement (*measure)(const run_environment&) = one_and_a_half,
         bool quick = true) {
    return {id, "a|b", {1.4}, "x", std::move(agrees), quick, measure};
}

std::vector<std::string> ids(const std::vector<const row*>& chosen) {
    std::vector<std::string> out;
    out.reserve(chosen.size());
    for (const row* r : chosen) out.push_back(r->id);
    return out;
}

std::vector<std::string> chosen_ids(const selection& wanted, const std::vector<row>& table) {
    std::vector<std::string> unknown;
    const auto chosen = ids(choose(wanted, table, unknown));
    EXPECT_TRUE(unknown.empty());
    return chosen;
}

TEST(bands, hold_what_they_say) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const band exact = band::exactly({0.3, 0.7});
    EXPECT_EQ(exact.text(), "exactly 0.3, 0.7");
    EXPECT_TRUE(exact.holds({0.1 + 0.2, 0.7}));
    EXPECT_FALSE(exact.holds({0.3 + 1e-8, 0.7}));
    EXPECT_FALSE(exact.holds({0.3}));
    EXPECT_FALSE(exact.holds({0.3, nan}));
    EXPECT_EQ(band::exactly({0.5, 0.5}).text(), "exactly 0.5");

    const band rounded = band::rounding_to({36.08, 64.94}, 2);
    EXPECT_EQ(rounded.text(), "36.08, 64.94");
    EXPECT_TRUE(rounded.holds({36.0799, 64.9438}));
    EXPECT_FALSE(rounded.holds({36.086, 64.94}));

    const band range = band::between(1.4, 1.5);
    EXPECT_EQ(range.text(), "1.40 to 1.50");
    EXPECT_TRUE(range.holds({1.4}));
    EXPECT_TRUE(range.holds({1.5}));
    EXPECT_FALSE(range.holds({1.5001}));
    EXPECT_FALSE(range.holds({nan}));
    EXPECT_FALSE(range.holds({}));

    const double any = std::numeric_limits<double>::infinity();
    const band several = band::all_between({{0, 0}, {1, any}, {2, 3}});
    EXPECT_EQ(several.text(), "0, at least 1, 2 to 3");
    EXPECT_TRUE(several.holds({0, 1e9, 3}));
    EXPECT_FALSE(several.holds({0, 0.9, 3}));

    EXPECT_FALSE(several.excludes({0, 5, nan}));
    EXPECT_TRUE(several.excludes({0, 0.5, nan}));
    EXPECT_FALSE(several.excludes({}));  // another number of values is no statement about these

    EXPECT_TRUE(band::none().is_none());
    EXPECT_EQ(band::none().text(), "none");
}

TEST(verdicts, follow_from_band_and_value) {
    const row inside = fake("Q1", band::between(1.4, 1.6));
    EXPECT_EQ(measure(inside, {}).said, verdict::reproduced);
    EXPECT_EQ(measure(inside, {}).reason, "");

    const row outside = fake("Q2", band::between(1.4, 1.45));
    EXPECT_EQ(measure(outside, {}).said, verdict::not_reproduced);
    EXPECT_EQ(measure(outside, {}).reason, "why not.");

    const row derived = fake("Q6", band::between(1.45, 1.6));  // 1.4 was published
    EXPECT_EQ(measure(derived, {}).said, verdict::as_derived);
    EXPECT_EQ(measure(derived, {}).reason, "why not.");
    EXPECT_EQ(to_text(measure(derived, {}).said), "as derived");

    row echo = fake("Q7", band::between(1.4, 1.6));
    echo.to_model = given::input;
    EXPECT_EQ(measure(echo, {}).said, verdict::input);
    EXPECT_EQ(measure(echo, {}).reason, "why not.");
    echo.agrees = band::between(1.45, 1.6);  // it does not return what was published
    EXPECT_EQ(measure(echo, {}).said, verdict::as_derived);
    echo.agrees = band::exactly({1.4});
    EXPECT_EQ(measure(echo, {}).said, verdict::not_reproduced);

    row chosen = fake("Q8", band::between(1.4, 1.6));
    chosen.to_model = given::fitted;
    EXPECT_EQ(measure(chosen, {}).said, verdict::fitted);
    EXPECT_EQ(to_text(measure(chosen, {}).said), "fitted");
    chosen.agrees = band::exactly({1.4});
    EXPECT_EQ(measure(chosen, {}).said, verdict::not_reproduced);

    row ours = fake("Q9", band::at_least(1));
    ours.published = {unpublished};
    EXPECT_EQ(measure(ours, {}).said, verdict::holds);
    EXPECT_EQ(to_text(measure(ours, {}).said), "holds");
    ours.agrees = band::at_least(2);
    EXPECT_EQ(measure(ours, {}).said, verdict::not_reproduced);

    const row reported = fake("Q3", band::none());
    EXPECT_EQ(measure(reported, {}).said, verdict::report_only);

    const row broken = fake("Q4", band::none(), crash);
    EXPECT_EQ(measure(broken, {}).said, verdict::failed);
    EXPECT_EQ(measure(broken, {}).reason, "out of order");

    EXPECT_THROW(measure(fake("Q5", band::none(), stop), {}), stopped);
}

TEST(verdicts, are_written_with_their_reasons) {
    const row inside = fake("Q1a", band::between(1.4, 1.6));
    const row outside = fake("Q2", band::exactly({1.4}));
    const row broken = fake("Q4", band::none(), crash);
    const std::vector<outcome> outcomes{measure(inside, {}), measure(outside, {}), measure(broken, {})};

    const auto table = as_table(outcomes);
    ASSERT_EQ(table.rows.size(), 3u);
    EXPECT_EQ(std::get<std::string>(table.rows[0][5]), "reproduced");
    EXPECT_EQ(std::get<std::string>(table.rows[1][5]), "not reproduced: why not.");
    EXPECT_EQ(std::get<std::string>(table.rows[2][5]), "error: out of order");
    EXPECT_EQ(std::get<std::string>(table.rows[0][3]), "1.5 x");
    EXPECT_EQ(std::get<std::string>(table.rows[2][3]), "-");

    const auto json = as_json(outcomes);
    EXPECT_EQ(json[1].dump(), R"({"id":"Q2","published":1.4,"measured":1.5,"unit":"x","band":"exactly 1.4",)"
                              R"("verdict":"not reproduced","reason":"why not."})");
    EXPECT_TRUE(json[2]["measured"].is_null());

    const auto page = as_page(outcomes);
    EXPECT_THAT(page, HasSubstr("| Q1a | a\\|b | 1.4 x | 1.5 x | 1.40 to 1.60 | reproduced |\n"));
    EXPECT_THAT(page, HasSubstr("- **Q1a**: how it was done.\n"));
}

TEST(verdicts, of_several_values_are_lists) {
    row r = fake("Q1", band::none());
    r.published = {unpublished, 97.0};
    outcome o = measure(r, {});
    o.measured.values = {50.0, std::numeric_limits<double>::infinity()};
    EXPECT_EQ(as_json({o})[0]["published"].dump(), "[null,97.0]");
    EXPECT_EQ(as_json({o})[0]["measured"].dump(), "[50.0,null]");
    EXPECT_EQ(std::get<std::string>(as_table({o}).rows[0][2]), "-, 97 x");
}

TEST(choice, is_by_id_or_group_and_keeps_the_order) {
    const std::vector<row> table{fake("P1", band::none()), fake("P6a", band::none()), fake("P6b", band::none()),
                                 fake("P10", band::none(), one_and_a_half, false), fake("Ba", band::none())};
    EXPECT_THAT(chosen_ids({}, table), ElementsAre("P1", "P6a", "P6b", "Ba"));
    EXPECT_THAT(chosen_ids({{}, true}, table), ElementsAre("P1", "P6a", "P6b", "P10", "Ba"));
    EXPECT_THAT(chosen_ids({{"p6", "P1", "p6B"}, false}, table), ElementsAre("P1", "P6a", "P6b"));
    EXPECT_THAT(chosen_ids({{"P6B"}, false}, table), ElementsAre("P6b"));
    EXPECT_THAT(chosen_ids({{"P10"}, false}, table), ElementsAre("P10"));
    EXPECT_THAT(chosen_ids({{"b"}, false}, table), ElementsAre("Ba"));

    std::vector<std::string> unknown;
    choose({{"P1", "P66", ""}, false}, table, unknown);
    EXPECT_THAT(unknown, ElementsAre("P66", ""));
    EXPECT_EQ(unknown_text("p66", table), "no row 'p66' (did you mean 'P6'?)");
    EXPECT_THAT(unknown_text("everything", table), HasSubstr("no row 'everything'"));
}

TEST(table, holds_every_published_outcome_once) {
    std::set<std::string> all, groups;
    for (const row& r : rows()) {
        EXPECT_TRUE(all.insert(r.id).second) << r.id;
        groups.insert(group_of(r.id));
        EXPECT_FALSE(r.what.empty()) << r.id;
        EXPECT_FALSE(r.published.empty()) << r.id;
    }
    for (int i = 1; i <= 12; ++i) EXPECT_EQ(groups.count(fmt::format("A{}", i)), 1u) << i;
    for (int i = 1; i <= 11; ++i) EXPECT_EQ(groups.count(fmt::format("P{}", i)), 1u) << i;
    for (int i = 1; i <= 10; ++i) EXPECT_EQ(groups.count(fmt::format("L{}", i)), 1u) << i;
    for (int i = 1; i <= 9; ++i) EXPECT_EQ(groups.count(fmt::format("M{}", i)), 1u) << i;
}

TEST(table, has_all_its_rows_on_the_page_in_docs) {
    std::ifstream page(CF_VALIDATION_PAGE);
    std::vector<std::string> there, known;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("| ") && !line.starts_with("| id "))
            there.push_back(line.substr(2, line.find(' ', 2) - 2));
    for (const row& r : rows()) known.push_back(r.id);
    EXPECT_EQ(there, known);
}

}  // namespace
}  // namespace contraflow::validate
