// SPDX-License-Identifier: Apache-2.0
#include "sweep/result_frame.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "config/text/diagnostics.h"
#include "config/tree/value_path.h"
#include "face/results/csv.h"
#include "sweep/labels.h"
#include "sweep/point_store.h"

namespace contraflow::sweep {
namespace {

using json = nlohmann::ordered_json;

constexpr double largest_exact = 9007199254740992.0;  // 2^53

json number(double value) {
    if (value == std::floor(value) && std::abs(value) < largest_exact) return static_cast<std::int64_t>(value);
    return value;
}

std::string_view name_of(ending end) {
    switch (end) {
    case ending::finished: return "finished";
    case ending::failed: return "failed";
    case ending::not_run: return "not run";
    }
    return "";
}

// The paths of single values or of lists.
void collect_paths(const json& value, const std::string& path, bool lists, std::vector<std::string>& out) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) collect_paths(inner, config::member_path(path, key), lists, out);
    } else if (value.is_array() == lists && !path.empty()) {
        out.push_back(path);
    }
}

class frame_maker {
public:
    frame_maker(const sweep_spec& spec, const std::vector<std::string>& keys, const std::vector<point_result>& results,
                std::vector<missing_value>& missing)
        : spec_(spec),
          keys_(keys),
          results_(results),
          missing_(missing) {}

    result_frame make() {
        out_.keys = keys_.size();
        read_labels();
        for (const point_result& r : results_) read_rows(r);
        if (spec_.columns.empty())
            take_all_values();
        else
            take_named_values();
        for (const char* name : {"status", "exit_code", "message", "point"}) out_.columns.push_back({name});
        for (const source_row& row : rows_) {
            out_.rows.push_back(cells(row));
            out_.names.push_back(results_[row.result].name);
        }
        return std::move(out_);
    }

private:
    struct source_row {
        std::size_t result;
        json row;  // a row of the table that `rows` names; null if it names none
    };

    void read_labels() {
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            std::vector<std::string> labels;
            for (const point_result& r : results_) labels.push_back(r.of->labels[k]);
            numbers_.push_back(as_numbers(labels));
            out_.columns.push_back({keys_[k], numbers_[k] ? numbers_[k]->unit : ""});
        }
    }

    void read_rows(const point_result& r) {
        const auto index = static_cast<std::size_t>(&r - results_.data());
        if (r.how.end != ending::finished) {
            rows_.push_back({index, nullptr});
            return;
        }
        any_finished_ = true;
        if (!spec_.rows) {
            rows_.push_back({index, nullptr});
            return;
        }
        const json table = value_at(r.report["results"], *spec_.rows);
        if (table.is_array()) found_rows_ = true;
        if (!table.is_array() || table.empty()) {
            rows_.push_back({index, nullptr});
            return;
        }
        for (const json& row : table) rows_.push_back({index, row});
    }

    // Looks in the row first, then in the results.
    json value_of(const source_row& row, const std::string& path) const {
        const json inner = row.row.is_null() ? json() : value_at(row.row, path);
        return inner.is_null() ? value_at(results_[row.result].report["results"], path) : inner;
    }

    json column_value(const source_row& row, std::size_t c) const {
        json value = value_of(row, out_.columns[out_.keys + c].value);
        if (spec_.columns.empty() || spec_.columns[c].over.empty()) return value;
        const json over = value_of(row, spec_.columns[c].over);
        if (!value.is_number() || !over.is_number() || over.get<double>() == 0) return nullptr;
        return value.get<double>() / over.get<double>();
    }

    std::vector<std::string> known_paths() const {
        std::vector<std::string> out;
        std::set<std::string> seen;
        const auto add = [&](const json& from) {
            for (std::string& path : paths_of_values(from)) {
                if (seen.insert(path).second) out.push_back(std::move(path));
            }
        };
        for (const source_row& row : rows_) add(row.row);
        for (const source_row& row : rows_) {
            if (results_[row.result].how.end == ending::finished) add(results_[row.result].report["results"]);
        }
        return out;
    }

    std::vector<std::string> known_lists() const {
        std::vector<json> finished;
        for (const point_result& r : results_)
            if (r.how.end == ending::finished) finished.push_back(r.report["results"]);
        return paths_of_lists(finished);
    }

    void take_all_values() {
        check_rows();
        for (const std::string& path : known_paths()) out_.columns.push_back({path, "", path, true});
    }

    void take_named_values() {
        check_rows();
        for (std::size_t c = 0; c < spec_.columns.size(); ++c) {
            const column_spec& column = spec_.columns[c];
            const std::string path =
                column.over.empty() ? column.value : fmt::format("{} over {}", column.value, column.over);
            out_.columns.push_back({column.name.empty() ? path : column.name, column.unit, column.value,
                                    column.over.empty(), !column.over.empty() || column.unit == "x", column.over});
            check_path(column.value, fmt::format("columns[{}].value", c));
            if (!column.over.empty()) check_path(column.over, fmt::format("columns[{}].over", c));
        }
    }

    void check_path(const std::string& path, const std::string& field) {
        const bool there = std::any_of(rows_.begin(), rows_.end(), [&](const source_row& row) {
            return results_[row.result].how.end == ending::finished && !value_of(row, path).is_null();
        });
        if (there || !any_finished_) return;
        missing_.push_back({field, fmt::format("no point has a value {}", config::quoted(path)),
                            config::did_you_mean(path, known_paths())});
    }

    void check_rows() {
        if (spec_.rows && any_finished_ && !found_rows_)
            missing_.push_back({"rows", fmt::format("no point has a list {}", config::quoted(*spec_.rows)),
                                config::known_keys(*spec_.rows, known_lists())});
    }

    std::vector<json> cells(const source_row& row) const {
        const point_result& r = results_[row.result];
        std::vector<json> out;
        for (std::size_t k = 0; k < keys_.size(); ++k)
            out.push_back(numbers_[k] ? number(numbers_[k]->numbers[row.result]) : json(r.of->labels[k]));
        for (std::size_t c = out_.keys; c + result_frame::status_columns < out_.columns.size(); ++c) {
            json value = r.how.end == ending::finished ? column_value(row, c - out_.keys) : json();
            out.push_back(value.is_structured() ? json(value.dump()) : std::move(value));
        }
        out.emplace_back(name_of(r.how.end));
        out.push_back(r.how.end == ending::not_run ? json() : json(r.how.exit_code));
        out.emplace_back(r.how.message);
        out.emplace_back(r.of->id);
        return out;
    }

    const sweep_spec& spec_;
    const std::vector<std::string>& keys_;
    const std::vector<point_result>& results_;
    std::vector<missing_value>& missing_;
    result_frame out_;
    std::vector<std::optional<number_series>> numbers_;  // by key; nothing for texts
    std::vector<source_row> rows_;
    bool any_finished_ = false, found_rows_ = false;
};

std::string csv_cell(const json& value) {
    if (value.is_null()) return "";
    return face::csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

face::cell table_cell(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number()) return value.get<double>();
    return value.is_boolean() ? std::string(value.get<bool>() ? "true" : "false") : std::string("-");
}

}  // namespace

std::optional<std::size_t> result_frame::find(std::string_view name_or_value) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == name_or_value) return i;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].is_value && columns[i].value == name_or_value) return i;
    }
    return std::nullopt;
}

bool result_frame::is_finished(std::size_t row) const {
    return rows[row][status_column()] == name_of(ending::finished);
}

result_frame make_frame(const sweep_spec& spec, const std::vector<std::string>& keys,
                        const std::vector<point_result>& results, std::vector<missing_value>& missing) {
    return frame_maker(spec, keys, results, missing).make();
}

std::string to_csv(const result_frame& frame) {
    std::string out;
    for (const frame_column& column : frame.columns) {
        if (!out.empty()) out += ',';
        out += face::csv_field(column.unit.empty() ? column.name : fmt::format("{} ({})", column.name, column.unit));
    }
    out += '\n';
    for (const auto& row : frame.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(row[i]));
        out += '\n';
    }
    return out;
}

face::table to_table(const result_frame& frame) {
    face::table out{"points", "Points", {{"point"}}, {}, "The name of a point leads to its own report."};
    bool all_finished = true;
    for (std::size_t r = 0; r < frame.rows.size(); ++r) all_finished = all_finished && frame.is_finished(r);
    const std::size_t id = frame.columns.size() - 1;
    const auto is_shown = [&](std::size_t c) {
        return c != id && (!all_finished || c < frame.status_column() || frame.columns[c].name == "status");
    };
    for (std::size_t c = 0; c < frame.columns.size(); ++c) {
        if (is_shown(c)) out.columns.push_back({frame.columns[c].name, frame.columns[c].unit});
    }
    for (std::size_t r = 0; r < frame.rows.size(); ++r) {
        const auto& row = frame.rows[r];
        auto& cells = out.rows.emplace_back(std::vector<face::cell>{frame.names[r]});
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (is_shown(c)) cells.push_back(table_cell(row[c]));
        }
        out.links.push_back(frame.is_finished(r) ? page_of(row[id].get<std::string>()) : "");
    }
    return out;
}

json value_at(const json& results, const std::string& path) {
    std::size_t wrong_at = 0;
    const auto steps = config::parse_path(path, wrong_at);
    if (!steps) return nullptr;
    const json* at = &results;
    for (const config::path_step& step : *steps) {
        if (step.is_index ? !at->is_array() || step.index >= at->size() : !at->is_object() || !at->contains(step.key))
            return nullptr;
        at = step.is_index ? &(*at)[step.index] : &(*at)[step.key];
    }
    return *at;
}

std::vector<std::string> paths_of_lists(const std::vector<json>& results) {
    std::vector<std::string> all, out;
    for (const json& one : results) collect_paths(one, "", true, all);
    for (std::string& path : all)
        if (std::find(out.begin(), out.end(), path) == out.end()) out.push_back(std::move(path));
    return out;
}

std::vector<std::string> paths_of_values(const json& results) {
    std::vector<std::string> out;
    collect_paths(results, "", false, out);
    return out;
}

}  // namespace contraflow::sweep
