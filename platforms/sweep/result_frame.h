// SPDX-License-Identifier: Apache-2.0
// The results of a sweep as one table: a row for each point, or for each row of a table in the point's report. First
// the swept keys, then values of the results, then how the point ended.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "face/results/report_data.h"
#include "sweep/point_store.h"

namespace contraflow::sweep {

struct frame_column {
    std::string name{}, unit{};
    std::string value{};    // the path in the results; empty for swept keys and status
    bool is_value = false;  // the value itself, not a ratio
    bool is_ratio = false;  // 1 means that two values are equal
    std::string over{};     // the path of the value that a ratio is over
};

struct result_frame {
    std::vector<frame_column> columns;
    std::size_t keys = 0;  // the first columns
    // Numbers, texts, truth values or null; each row as long as `columns`.
    std::vector<std::vector<nlohmann::ordered_json>> rows;
    std::vector<std::string> names;  // of the point of each row
    // The number of the last columns, which say how the point ended: status, exit_code, message, point.
    static constexpr std::size_t status_columns = 4;

    std::optional<std::size_t> find(std::string_view name_or_value) const;
    std::size_t status_column() const { return columns.size() - status_columns; }
    bool is_finished(std::size_t row) const;
};

// A point and its results.
struct point_result {
    const point* of = nullptr;
    verdict how;
    nlohmann::ordered_json report;  // the report of a finished point
    std::string name{};
};

// A value that `columns` or `rows` name and no finished point has, with its position there.
struct missing_value {
    std::string field;  // "columns[2].value"
    std::string message, hint;
};

result_frame make_frame(const sweep_spec& spec, const std::vector<std::string>& keys,
                        const std::vector<point_result>& results, std::vector<missing_value>& missing);

std::string to_csv(const result_frame& frame);
// With the name of each row's point, which leads to the point's page, in place of its hash.
face::table to_table(const result_frame& frame);

// The value of that path; null if there is none.
nlohmann::ordered_json value_at(const nlohmann::ordered_json& results, const std::string& path);
// The paths of all single values outside of lists.
std::vector<std::string> paths_of_values(const nlohmann::ordered_json& results);
// The paths of all lists outside of other lists, of any of these.
std::vector<std::string> paths_of_lists(const std::vector<nlohmann::ordered_json>& results);

}  // namespace contraflow::sweep
