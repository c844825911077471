// SPDX-License-Identifier: Apache-2.0
#include "report/render_page.h"

#include <fstream>
#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using contraflow::report::render_page;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

ordered_json data_file(const std::string& name) {
    std::ifstream in(std::string(CF_TEST_DATA "/report/") + name);
    return ordered_json::parse(in);
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
    return n;
}

// The report that a page carries, as a browser reads it: up to the next "</script".
std::string data_block(const std::string& page) {
    const std::string open = R"(<script type="application/json" id="report">)";
    const auto begin = page.find(open) + open.size();
    return page.substr(begin, page.find("</script", begin) - begin);
}

// Everything of a page but the embedded library and its licence.
std::string without_echarts(std::string page) {
    const auto begin = page.find("\n/*\n* Licensed to the Apache Software Foundation");
    EXPECT_NE(begin, std::string::npos);
    page.erase(begin, page.find("</script>", begin) - begin);
    const auto licence = page.find("<pre>");
    page.erase(licence, page.find("</pre>") - licence);
    return page;
}

void collect_kinds(const ordered_json& report, std::set<std::string>& kinds, std::set<std::string>& charts) {
    for (const auto& section : report.at("sections")) {
        for (const auto& item : section.at("items")) {
            kinds.insert(item.at("kind").get<std::string>());
            if (item.at("kind") == "chart") charts.insert(item.at("type").get<std::string>());
        }
    }
}

TEST(render_page, carries_the_report_unchanged) {
    for (const char* name : {"sample.json", "hostile.json"}) {
        const ordered_json report = data_file(name);
        EXPECT_EQ(ordered_json::parse(data_block(render_page(report))), report) << name;
    }
}

TEST(render_page, no_text_of_a_report_becomes_markup) {
    const std::string page = without_echarts(render_page(data_file("hostile.json")));
    EXPECT_THAT(page, Not(HasSubstr("<script>document.title")));
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, Not(HasSubstr("<b>bold</b>")));
    EXPECT_THAT(data_block(page), Not(HasSubstr("<")));
    // The page's own scripts: the collector of errors, the data, ECharts, the page's script.
    EXPECT_EQ(count(page, "</script>"), 4u);
    EXPECT_EQ(count(page, "<script"), 4u);
    EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;document.title = 'broken in'&lt;/script&gt; &amp; "
                                "&quot;quotes&quot; {{echarts}}</title>"));
}

TEST(render_page, fills_every_place_of_the_template) {
    const std::string page = without_echarts(render_page(data_file("sample.json")));
    EXPECT_FALSE(std::regex_search(page, std::regex("\\{\\{[a-z]+\\}\\}")));
}

TEST(render_page, asks_nothing_of_the_network) {
    const std::string whole = render_page(data_file("sample.json"));
    EXPECT_THAT(whole, HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
    const std::string page = without_echarts(whole);
    // The namespace of SVG is a name, not an address that is fetched.
    const std::regex address("(https?:)?//[a-z0-9-]+\\.[a-z]+[^\"' ]*");
    for (auto i = std::sregex_iterator(page.begin(), page.end(), address); i != std::sregex_iterator(); ++i) {
        EXPECT_EQ(i->str(), "http://www.w3.org/2000/svg");
    }
    for (const char* call : {"fetch(", "XMLHttpRequest", "WebSocket", "import(", "@import", " src=", "url("}) {
        EXPECT_THAT(page, Not(HasSubstr(call)));
    }
}

TEST(render_page, keeps_the_notices_of_echarts) {
    const std::string page = render_page(data_file("sample.json"));
    EXPECT_THAT(page, HasSubstr("Copyright 2017-2026 The Apache Software Foundation"));
    EXPECT_THAT(page, HasSubstr("Apache License\n"));
    EXPECT_THAT(page, HasSubstr("Mike Bostock"));
    EXPECT_EQ(count(page, "* Licensed to the Apache Software Foundation (ASF) under one"), 1u);
}

TEST(render_page, draws_every_kind_of_item_that_the_sample_has) {
    std::set<std::string> kinds;
    std::set<std::string> charts;
    collect_kinds(data_file("sample.json"), kinds, charts);
    EXPECT_EQ(kinds, (std::set<std::string>{"text", "table", "chart", "timeline", "tree", "steps"}));
    EXPECT_EQ(charts, (std::set<std::string>{"line", "bar", "stacked_bar", "scatter", "step", "heat"}));
    const std::string page = render_page(data_file("sample.json"));
    for (const auto& kind : kinds) EXPECT_THAT(page, HasSubstr(kind + ": " + kind + "Item")) << kind;
}

TEST(render_page, stays_near_the_size_of_the_library) {
    EXPECT_LT(render_page(data_file("sample.json")).size(), 1'300'000u);
}

TEST(render_page, survives_any_json) {
    for (const ordered_json& odd : {ordered_json(), ordered_json::array(), ordered_json(7), ordered_json::object(),
                                    ordered_json{{"title", 3}}, ordered_json{{"title", "bad \xff utf-8"}}}) {
        EXPECT_THAT(render_page(odd), HasSubstr("</html>"));
    }
    EXPECT_THAT(render_page(ordered_json{{"title", "bad \xff utf-8"}}),
                HasSubstr("<title>bad \xEF\xBF\xBD utf-8</title>"));
}

TEST(render_page, is_the_same_every_time) {
    const ordered_json report = data_file("sample.json");
    EXPECT_EQ(render_page(report), render_page(report));
}

}  // namespace
