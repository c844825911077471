// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specs.h"
#include "sweep/figures.h"
#include "sweep/result_frame.h"
#include "sweep/results_form.h"

namespace contraflow::sweep {
namespace {

using nlohmann::ordered_json;
using sweep_test::spec_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class results {
public:
    void finished(std::vector<std::string> labels, const std::string& results) {
        add(std::move(labels), {});
        results_.back().how.end = ending::finished;
        results_.back().report = {{"results", ordered_json::parse(results)}};
    }
    void add(std::vector<std::string> labels, verdict how) {
        points_.push_back({std::move(labels), std::nullopt, {}, "id" + std::to_string(points_.size()), ""});
        results_.push_back({&points_.back(), std::move(how), {}, "name of " + points_.back().id});
    }
    result_frame frame(const std::string& spec, const std::vector<std::string>& keys) {
        missing.clear();
        return make_frame(spec_of(spec).value, keys, results_, missing);
    }
    std::vector<missing_value> missing;

private:
    std::deque<point> points_;
    std::vector<point_result> results_;
};

std::vector<std::string> names(const result_frame& frame) {
    std::vector<std::string> out;
    for (const frame_column& c : frame.columns) out.push_back(c.name);
    return out;
}

TEST(result_frame, keys_then_every_single_value_then_the_status) {
    results r;
    r.finished({"1KiB", "a"}, R"({"time": 1.5, "deep": {"ok": true, "n": 3}, "list": [1, 2], "text": "x, \"y\""})");
    r.finished({"2MiB", "b"}, R"({"time": 2, "more": null, "other": -1})");
    const result_frame f = r.frame("", {"size", "name"});
    EXPECT_THAT(r.missing, IsEmpty());
    EXPECT_EQ(to_csv(f), "size (KiB),name,time,deep.ok,deep.n,text,more,other,status,exit_code,message,point\n"
                         "1,a,1.5,true,3,\"x, \"\"y\"\"\",,,finished,0,,id0\n"
                         "2048,b,2,,,,,-1,finished,0,,id1\n");
}

TEST(result_frame, named_columns_with_units_and_ratios) {
    results r;
    r.finished({"1"}, R"({"a": {"t": 6.0, "n": 0}, "b": [{"t": 4}]})");
    const result_frame f = r.frame("columns: [{value: a.t, name: time, unit: ms}, {value: \"b[0].t\"}, {value: a.t, "
                                   "over: \"b[0].t\", name: ratio},"
                                   " {value: a.t, over: a.n}]",
                                   {"k"});
    EXPECT_THAT(r.missing, IsEmpty());
    EXPECT_EQ(to_csv(f), "k,time (ms),b[0].t,ratio,a.t over a.n,status,exit_code,message,point\n"
                         "1,6.0,4,1.5,,finished,0,,id0\n");
    EXPECT_EQ(f.find("a.t"), 1U) << "by its path too, but not the ratio";
}

TEST(result_frame, a_row_for_each_row_of_a_table) {
    results r;
    r.finished({"x"}, R"({"runs": [{"kind": "static", "t": 4}, {"kind": "dynamic", "t": 3}], "t": 9, "all": 7})");
    r.finished({"y"}, R"({"runs": [], "all": 8})");
    r.add({"z"}, {ending::failed, 3, "stuck"});
    const std::string all = to_csv(r.frame("rows: runs", {"k"}));
    EXPECT_EQ(all, "k,kind,t,all,status,exit_code,message,point\n"
                   "x,static,4,7,finished,0,,id0\n"
                   "x,dynamic,3,7,finished,0,,id0\n"
                   "y,,,8,finished,0,,id1\n"
                   "z,,,,failed,3,stuck,id2\n")
        << "a name that both have is the row's";
}

TEST(result_frame, points_that_did_not_finish_are_in_the_table_without_results) {
    results r;
    r.add({"1"}, {ending::failed, 139, "a, \"b\""});
    r.add({"2"}, {});
    const result_frame f = r.frame("columns: [{value: t}]", {"k"});
    EXPECT_EQ(to_csv(f), "k,t,status,exit_code,message,point\n"
                         "1,,failed,139,\"a, \"\"b\"\"\",id0\n"
                         "2,,not run,,,id1\n");
    EXPECT_THAT(r.missing, IsEmpty()) << "nobody can know yet";
    EXPECT_FALSE(f.is_finished(0));
    EXPECT_THAT(names(f), ElementsAre("k", "t", "status", "exit_code", "message", "point"));
}

TEST(result_frame, a_value_that_no_point_has_is_told_with_the_nearest) {
    results r;
    r.finished({}, R"({"tlm": {"end_ms": 1}})");
    r.frame("columns: [{value: tlm.end_ms}, {value: tlm.end_sm}, {value: tlm.end_ms, over: nothing}]\nrows: runs", {});
    ASSERT_EQ(r.missing.size(), 3U);
    EXPECT_EQ(r.missing[0].field, "rows");
    EXPECT_EQ(r.missing[1].field, "columns[1].value");
    EXPECT_EQ(r.missing[1].message, "no point has a value 'tlm.end_sm'");
    EXPECT_EQ(r.missing[1].hint, "did you mean 'tlm.end_ms'?");
    EXPECT_EQ(r.missing[2].field, "columns[2].over");
}

TEST(result_frame, the_table_shows_failures_only_when_there_are_any) {
    results r;
    r.finished({"1"}, R"({"t": 1})");
    EXPECT_EQ(to_table(r.frame("", {"k"})).columns.size(), 4U);
    r.add({"2"}, {ending::failed, 1, "why"});
    EXPECT_EQ(to_table(r.frame("", {"k"})).columns.size(), 6U);
}

class figures : public testing::Test {
protected:
    figures() {
        for (const char* lanes : {"16", "4"}) {
            for (const char* load : {"bfs", "sort"})
                r_.finished({lanes, load}, std::string(R"({"t": )") + lanes + R"(, "u": 1, "word": "w"})");
        }
        r_.add({"8", "bfs"}, {ending::failed, 1, ""});
    }
    face::chart drawn(const std::string& figure) {
        const auto spec = spec_of("figures: [" + figure + "]");
        const result_frame frame = r_.frame("", {"lanes", "load"});
        EXPECT_THAT(missing_columns(spec.value, frame), IsEmpty());
        return draw(spec.value.figures[0], "f", frame).chart;
    }
    results r_;
};

TEST_F(figures, a_curve_for_each_value_of_the_series_in_the_order_of_x) {
    const face::chart c = drawn("{x: lanes, y: [t], series: load, x_scale: log}");
    EXPECT_EQ(c.type, face::chart::kind::line);
    ASSERT_EQ(c.series.size(), 2U);
    EXPECT_EQ(c.series[0].name, "bfs");
    EXPECT_THAT(c.series[0].points, ElementsAre(Pair(4, 4), Pair(16, 16))) << "and none of what failed";
    EXPECT_TRUE(c.x.log);
    EXPECT_EQ(c.y.name, "t");
}

TEST_F(figures, other_swept_keys_are_told_apart) {
    const face::chart c = drawn("{x: lanes, y: [t, u]}");
    ASSERT_EQ(c.series.size(), 4U);
    EXPECT_EQ(c.series[0].name, "t, load bfs");
    EXPECT_EQ(c.series[3].name, "u, load sort");
}

TEST_F(figures, bars_by_name) {
    const face::chart c = drawn("{x: load, y: [t], series: lanes, kind: bar}");
    EXPECT_EQ(c.type, face::chart::kind::bar);
    EXPECT_THAT(c.categories, ElementsAre("bfs", "sort"));
    ASSERT_EQ(c.series.size(), 2U);
    EXPECT_EQ(c.series[0].name, "lanes 16");
    EXPECT_THAT(c.series[0].points, ElementsAre(Pair(0, 16), Pair(1, 16)));
}

TEST_F(figures, what_is_no_number_cannot_be_a_line) {
    const face::chart c = drawn("{x: load, y: [t]}");
    EXPECT_EQ(c.type, face::chart::kind::bar);
    EXPECT_THAT(c.note, HasSubstr("no numbers"));
    const face::chart of_texts = drawn("{x: lanes, y: [word]}");
    EXPECT_THAT(of_texts.series, IsEmpty());
    EXPECT_EQ(of_texts.note, "word has no numbers to draw.");
}

TEST_F(figures, columns_that_are_not_there_are_told_before_anything_is_run_if_possible) {
    const auto spec = spec_of("columns: [{value: a.t, name: time}]\n"
                              "figures: [{x: lanse, y: [time, a.t, tmie], series: load}]");
    const auto missing = missing_columns(spec.value, {"lanes", "load"});
    ASSERT_EQ(missing.size(), 2U);
    EXPECT_EQ(missing[0].field, "figures[0].x");
    EXPECT_THAT(missing[0].hint, HasSubstr("did you mean 'lanes'?"));
    EXPECT_EQ(missing[1].field, "figures[0].y[2]");
    EXPECT_THAT(missing_columns(spec_of("figures: [{x: a, y: [b]}]").value, {"a"}), IsEmpty())
        << "without columns only the results can tell";
}

// 1 is passed between x = 1 and 4, on a logarithmic axis at 2: ratios 0.5 and 1.5.
TEST(crossovers, of_ratios_with_one_and_of_two_columns_with_each_other) {
    results r;
    r.finished({"1", "a"}, R"({"t": 1.0, "u": 2.0})");
    r.finished({"4", "a"}, R"({"t": 3.0, "u": 2.0})");
    r.finished({"1", "b"}, R"({"t": 3.0, "u": 2.0})");
    r.finished({"4", "b"}, R"({"t": 5.0, "u": 2.0})");
    const std::string columns =
        "columns: [{value: t, over: u, name: ratio}, {value: t, unit: ms}, {value: u, unit: ms}]\n";
    const auto drawn = [&](const std::string& figure) {
        const auto spec = spec_of(columns + "figures: [" + figure + "]");
        return draw(spec.value.figures[0], "f", r.frame(columns, {"n", "who"}));
    };
    const drawing log = drawn("{x: n, y: [ratio], series: who, x_scale: log}");
    ASSERT_EQ(log.crossovers.size(), 1U);
    EXPECT_NEAR(log.crossovers[0].x, 2.0, 1e-9);
    EXPECT_EQ(to_text(log.crossovers[0], log.chart), "a: 1 is passed at n between 1 and 4, about 2 by interpolation");
    ASSERT_EQ(log.chart.marks.size(), 1U);
    EXPECT_EQ(log.chart.marks[0].label, "about 2");
    ASSERT_EQ(log.chart.references.size(), 1U);
    EXPECT_EQ(log.chart.references[0].y, 1);
    EXPECT_NEAR(drawn("{x: n, y: [ratio], series: who}").crossovers[0].x, 2.5, 1e-9);
    const drawing both = drawn("{x: n, y: [t, u], series: who}");
    EXPECT_TRUE(both.chart.references.empty());
    ASSERT_EQ(both.crossovers.size(), 1U);
    EXPECT_EQ(to_text(both.crossovers[0], both.chart),
              "t and u, a: they pass each other at n between 1 and 4, about 2.5 by interpolation");
    EXPECT_NEAR(both.crossovers[0].y, 2.0, 1e-9);
}

// On logarithmic axes the times of a pair, 1 and 2, then 8 and 2, pass each other where their ratio, 0.5 and then 4,
// passes 1: a third of the way in powers of two.
TEST(crossovers, lie_on_the_lines_that_are_drawn) {
    results r;
    r.finished({"1"}, R"({"t": 1.0, "u": 2.0})");
    r.finished({"16"}, R"({"t": 8.0, "u": 2.0})");
    const std::string columns =
        "columns: [{value: t, over: u, name: ratio}, {value: t, unit: ms}, {value: u, unit: ms}]\n";
    const auto crossing = [&](const std::string& figure) {
        const auto spec = spec_of(columns + "figures: [" + figure + "]");
        const auto drawn = draw(spec.value.figures[0], "f", r.frame(columns, {"n"}));
        EXPECT_EQ(drawn.crossovers.size(), 1U);
        EXPECT_EQ(drawn.chart.marks.size(), 1U);
        return std::pair{drawn.chart.marks.at(0).x, drawn.chart.marks.at(0).y};
    };
    const auto pair = crossing("{x: n, y: [t, u], x_scale: log, y_scale: log}");
    EXPECT_NEAR(pair.first, std::cbrt(16.0), 1e-9);
    EXPECT_NEAR(pair.second, 2.0, 1e-9);
    const auto ratio = crossing("{x: n, y: [ratio], x_scale: log, y_scale: log}");
    EXPECT_NEAR(ratio.first, pair.first, 1e-9);
    EXPECT_NEAR(ratio.second, 1.0, 1e-9);
    EXPECT_NEAR(crossing("{x: n, y: [t, u], y_scale: log}").first, 1 + 15.0 / 3, 1e-9);
    EXPECT_NEAR(crossing("{x: n, y: [t, u]}").first, 1 + 15.0 / 7, 1e-9);
}

// From 1 and 2 the values of "a" go to 5 and 4 and pass each other half way. Their ratio goes from 0.5 to 1.25: on a
// line of its own it passes 1 after two thirds of the way.
TEST(crossovers, of_a_ratio_are_those_of_its_values_where_a_figure_shows_them) {
    results r;
    r.finished({"1", "a"}, R"({"t": 1.0, "u": 2.0})");
    r.finished({"4", "a"}, R"({"t": 5.0, "u": 4.0})");
    r.finished({"1", "b"}, R"({"t": 1.0, "u": 2.0})");
    r.finished({"4", "b"}, R"({"t": 1.5, "u": 2.0})");
    const std::string columns =
        "columns: [{value: t, over: u, name: ratio}, {value: u, over: t, name: inverse}, {value: t, unit: ms}, "
        "{value: u, unit: ms}]\n";
    const auto crossing = [&](const std::string& figures) {
        const auto spec = spec_of(columns + "figures: [" + figures + "]");
        const auto drawn = draw(spec.value.figures[0], "f", r.frame(columns, {"n", "who"}), spec.value.figures);
        EXPECT_EQ(drawn.crossovers.size(), 1U);
        EXPECT_EQ(drawn.crossovers.at(0).y, 1);
        EXPECT_EQ(drawn.chart.marks.at(0).x, drawn.crossovers[0].x);
        return std::pair{drawn.crossovers[0].curves, drawn.crossovers[0].x};
    };
    const auto alone = crossing("{x: n, y: [ratio], series: who}");
    EXPECT_EQ(alone.first, "a");
    EXPECT_NEAR(alone.second, 3.0, 1e-9);
    const auto beside = crossing("{x: n, y: [ratio], series: who}, {x: n, y: [t, u]}");
    EXPECT_EQ(beside.first, "a");
    EXPECT_NEAR(beside.second, 2.5, 1e-9);
    EXPECT_NEAR(crossing("{x: n, y: [inverse], series: who}, {x: n, y: [t, u]}").second, 2.5, 1e-9);
    EXPECT_NEAR(crossing("{x: n, y: [ratio]}, {x: n, y: [t, u], x_scale: log}").second, 2.0, 1e-9)
        << "on the axes of that figure";
    EXPECT_NEAR(crossing("{x: n, y: [ratio]}, {x: n, y: [t, u], kind: scatter}").second, 3.0, 1e-9)
        << "points without lines do not pass each other";
}

TEST(crossovers, are_at_a_point_at_which_both_are_the_same) {
    results r;
    r.finished({"1"}, R"({"t": 1.0, "u": 2.0})");
    r.finished({"2"}, R"({"t": 2.0, "u": 2.0})");
    r.finished({"8"}, R"({"t": 9.0, "u": 2.0})");
    const std::string columns = "columns: [{value: t, unit: ms}, {value: u, unit: ms}]\n";
    const auto spec = spec_of(columns + "figures: [{x: n, y: [t, u]}]");
    const drawing drawn = draw(spec.value.figures[0], "f", r.frame(columns, {"n"}));
    ASSERT_EQ(drawn.crossovers.size(), 1U);
    EXPECT_EQ(to_text(drawn.crossovers[0], drawn.chart), "t and u: they pass each other at n 2, a point of the sweep");
    EXPECT_EQ(drawn.chart.marks.at(0).label, "2") << "nothing is interpolated there";
    EXPECT_EQ(drawn.crossovers[0].y, 2);
}

TEST(points, lead_to_their_pages_by_name) {
    results r;
    r.finished({"1"}, R"({"t": 6.0})");
    r.add({"2"}, {ending::failed, 3, "stuck"});
    const face::table t = to_table(r.frame("", {"k"}));
    EXPECT_EQ(t.columns.front().name, "point");
    EXPECT_EQ(std::get<std::string>(t.rows[0][0]), "name of id0");
    EXPECT_THAT(t.links, ElementsAre(".points/.sweep/newest/id0/report.html", ""));
    for (const auto& row : t.rows) EXPECT_EQ(row.size(), t.columns.size());
}

TEST(forms, name_what_no_point_will_have) {
    const auto form =
        ordered_json::parse(R"({"a": {"t": 1, "n": null}, "runs": [{"kind": "x", "t": 1}], "links": [], "more": {}})");
    const auto missing = [&](const std::string& spec) {
        return unknown_values(spec_of(spec).value, std::vector<ordered_json>{form});
    };
    EXPECT_THAT(missing("columns: [{value: a.n}, {value: \"runs[0].kind\"}, {value: \"links[7].busy\", over: a.t}]"),
                IsEmpty())
        << "a list that is empty may hold anything";
    EXPECT_THAT(missing("rows: runs\ncolumns: [{value: kind}, {value: a.t}]"), IsEmpty());
    const auto wrong = missing("rows: runs\ncolumns: [{value: a.t}, {value: kidn, over: a.x}]");
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[0].field, "columns[1].value");
    EXPECT_EQ(wrong[0].hint, "did you mean 'kind'? known: kind, t, a.t, a.n, runs[0].kind, runs[0].t");
    EXPECT_EQ(wrong[1].field, "columns[1].over");
    EXPECT_EQ(missing("rows: run")[0].message, "no point will have a list 'run'");
    EXPECT_EQ(missing("rows: run")[0].hint, "did you mean 'runs'? known: runs, links");
    EXPECT_THAT(unknown_values(spec_of("columns: [{value: zzz}]").value, std::vector<ordered_json>{}), IsEmpty());
}

}  // namespace
}  // namespace contraflow::sweep
