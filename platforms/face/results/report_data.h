// SPDX-License-Identifier: Apache-2.0
// The report of a run: tables, charts, timelines, trees and steps in sections. One structure feeds report.json, the
// report page and the terminal. Text is UTF-8; a number that is not finite becomes null in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/units.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::face {

inline constexpr const char* report_schema_id = "contraflow-report/1";

// `on_terminal = false` keeps an item in report.json and on the page, but off the terminal and out of summary.txt:
// for items that are too long to read there.

struct text_block {
    std::string text{};
    bool on_terminal = true;
};

struct column {
    std::string name{};
    std::string unit{};  // "" if it has none
};
using cell = std::variant<std::string, double, std::int64_t>;
// For a cell: a count, and a time in microseconds.
inline std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }
inline double us(core::sim_time t) { return static_cast<double>(t.ps) * 1e-6; }
struct table {
    std::string id{}, title{};
    std::vector<column> columns{};
    std::vector<std::vector<cell>> rows{};  // each as long as `columns`
    std::string note{};
    bool on_terminal = true;
    // The page that a row is about, as what follows the path of the run directory; as long as `rows`, or empty.
    std::vector<std::string> links{};
};

struct axis {
    std::string name{};
    std::string unit{};
    bool log = false;
};
struct point_series {
    std::string name{};
    std::vector<std::pair<double, double>> points{};
    std::vector<std::string> names{};  // of the points: as many, or none
};
// A y that values are compared with: a line from the left to the right.
struct reference {
    double y = 0;
    std::string label{};
};
// A point of a chart that is marked.
struct mark {
    double x = 0, y = 0;
    std::string label{};
};
// Something that happened at one x: a line across the chart.
struct moment {
    double x = 0;
    std::string label{};
};
struct chart {
    enum class kind { line, bar, stacked_bar, scatter, step, heat };
    std::string id{}, title{};
    kind type = kind::line;
    axis x{}, y{};
    std::vector<std::string> categories{};  // a bar chart's x labels; a point's x is then an index into them
    std::vector<point_series> series{};
    std::vector<mark> marks{};
    std::vector<moment> moments{};
    std::vector<reference> references{};
    std::string note{};
};

// One interval of one row: row "gpu0", label "gpu0->gpu1", category "downstream share".
struct timeline_bar {
    std::string row{}, label{}, category{}, detail{};
    double begin = 0, end = 0;  // in the unit of the timeline's axis
};
struct timeline {
    std::string id{}, title{};
    axis x{};
    std::vector<std::string> rows{};  // in the order in which they are drawn
    std::vector<timeline_bar> bars{};
    std::string note{};
};

// A node with the link that joins it to its parent. A load is a share of that link's rate, 0 to 1; below 0: unknown.
struct tree_node {
    std::string name{}, kind{}, about{}, link{};
    double up_load = -1, down_load = -1;
    std::string up_note{}, down_note{};
    std::vector<tree_node> children{};
    bool up_limit = false, down_limit = false;  // named as the limit of the run, whatever its load
};
struct tree_view {
    std::string id{}, title{};
    tree_node root{};
    std::string note{};
    bool on_terminal = true;
};

// A numbered list.
struct steps {
    std::string id{}, title{};
    std::vector<std::string> items{};
    std::string note{};
    bool on_terminal = true;
};

using item = std::variant<text_block, table, chart, timeline, tree_view, steps>;
struct section {
    std::string id{}, title{};
    std::vector<item> items{};
};

struct report_data {
    std::string platform{};  // filled by the face
    std::string title{};
    std::vector<std::pair<std::string, std::string>> levels{};  // the model used: {"pcie", "closed form"}
    std::vector<std::string> headline{};                        // sentences, the most important first
    std::vector<std::string> warnings{};
    std::vector<section> sections{};
    std::vector<observe::stat_row> statistics{};
    std::vector<observe::conservation_check> conservation{};
    nlohmann::ordered_json results = nlohmann::ordered_json::object();  // the platform's own, machine-readable
};

// The content of report.json; its form is report.schema.json's.
nlohmann::ordered_json to_json(const report_data& report);
// JSON as it is written to files; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const nlohmann::ordered_json& json);

}  // namespace contraflow::face
