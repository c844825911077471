// SPDX-License-Identifier: Apache-2.0
#include "face/results/report_data.h"

#include "face/build_info/build_info.h"

namespace contraflow::face {
namespace {

using json = nlohmann::ordered_json;

const char* name_of(chart::kind kind) {
    switch (kind) {
    case chart::kind::line: return "line";
    case chart::kind::bar: return "bar";
    case chart::kind::stacked_bar: return "stacked_bar";
    case chart::kind::scatter: return "scatter";
    case chart::kind::step: return "step";
    case chart::kind::heat: return "heat";
    }
    return "line";
}

json json_of(const axis& a) { return {{"name", a.name}, {"unit", a.unit}, {"log", a.log}}; }

json json_of(const text_block& t) { return {{"kind", "text"}, {"text", t.text}}; }

json json_of(const table& t) {
    json columns = json::array();
    for (const column& c : t.columns) columns.push_back({{"name", c.name}, {"unit", c.unit}});
    json rows = json::array();
    for (const auto& row : t.rows) {
        json cells = json::array();
        for (const cell& c : row) std::visit([&](const auto& value) { cells.push_back(value); }, c);
        rows.push_back(std::move(cells));
    }
    json out{{"kind", "table"},         {"id", t.id},    {"title", t.title}, {"columns", std::move(columns)},
             {"rows", std::move(rows)}, {"note", t.note}};
    if (!t.links.empty()) out["links"] = t.links;
    return out;
}

json json_of(const chart& c) {
    json series = json::array();
    for (const point_series& s : c.series) {
        json points = json::array();
        for (const auto& [x, y] : s.points) points.push_back(json::array({x, y}));
        series.push_back({{"name", s.name}, {"points", std::move(points)}});
        if (!s.names.empty()) series.back()["names"] = s.names;
    }
    json marks = json::array();
    for (const mark& m : c.marks) marks.push_back({{"x", m.x}, {"y", m.y}, {"label", m.label}});
    json out{
        {"kind", "chart"},           {"id", c.id},        {"title", c.title},           {"type", name_of(c.type)},
        {"x", json_of(c.x)},         {"y", json_of(c.y)}, {"categories", c.categories}, {"series", std::move(series)},
        {"marks", std::move(marks)}, {"note", c.note}};
    for (const moment& m : c.moments) out["moments"].push_back({{"x", m.x}, {"label", m.label}});
    for (const reference& r : c.references) out["references"].push_back({{"y", r.y}, {"label", r.label}});
    return out;
}

json json_of(const timeline& t) {
    json bars = json::array();
    for (const timeline_bar& b : t.bars) {
        bars.push_back({{"row", b.row},
                        {"label", b.label},
                        {"category", b.category},
                        {"detail", b.detail},
                        {"begin", b.begin},
                        {"end", b.end}});
    }
    return {{"kind", "timeline"},      {"id", t.id},    {"title", t.title}, {"x", json_of(t.x)}, {"rows", t.rows},
            {"bars", std::move(bars)}, {"note", t.note}};
}

json json_of(const tree_node& n) {
    json children = json::array();
    for (const tree_node& child : n.children) children.push_back(json_of(child));
    return {{"name", n.name},
            {"kind", n.kind},
            {"about", n.about},
            {"link", n.link},
            {"up_load", n.up_load},
            {"down_load", n.down_load},
            {"up_note", n.up_note},
            {"down_note", n.down_note},
            {"up_limit", n.up_limit},
            {"down_limit", n.down_limit},
            {"children", std::move(children)}};
}

json json_of(const tree_view& t) {
    return {{"kind", "tree"}, {"id", t.id}, {"title", t.title}, {"root", json_of(t.root)}, {"note", t.note}};
}

json json_of(const steps& s) {
    return {{"kind", "steps"}, {"id", s.id}, {"title", s.title}, {"items", s.items}, {"note", s.note}};
}

json json_of(const section& s) {
    json items = json::array();
    for (const item& i : s.items) items.push_back(std::visit([](const auto& value) { return json_of(value); }, i));
    return {{"id", s.id}, {"title", s.title}, {"items", std::move(items)}};
}

}  // namespace

json to_json(const report_data& r) {
    json levels = json::object();
    for (const auto& [part, level] : r.levels) levels[part] = level;
    json sections = json::array();
    for (const section& s : r.sections) sections.push_back(json_of(s));
    json statistics = json::array();
    for (const observe::stat_row& row : r.statistics) {
        statistics.push_back(
            {{"path", row.path}, {"metric", row.metric}, {"unit", row.unit}, {"text", row.text}, {"value", row.value}});
    }
    json conservation = json::array();
    for (const observe::conservation_check& c : r.conservation) {
        conservation.push_back({{"name", c.name}, {"unit", c.unit}, {"in", c.in}, {"out", c.out}, {"held", c.held()}});
    }
    return {{"schema", report_schema_id},
            {"platform", r.platform},
            {"version", build_info().version},
            {"title", r.title},
            {"levels", std::move(levels)},
            {"headline", r.headline},
            {"warnings", r.warnings},
            {"sections", std::move(sections)},
            {"statistics", std::move(statistics)},
            {"conservation", std::move(conservation)},
            {"results", r.results}};
}

std::string to_text(const json& value) { return value.dump(1, ' ', false, json::error_handler_t::replace) + '\n'; }

}  // namespace contraflow::face
