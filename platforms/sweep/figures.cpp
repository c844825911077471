// SPDX-License-Identifier: Apache-2.0
#include "sweep/figures.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::sweep {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::vector<missing_value> missing(const sweep_spec& spec, const std::function<bool(const std::string&)>& is_known,
                                   const std::vector<std::string>& known) {
    std::vector<missing_value> out;
    const auto check = [&](const std::string& field, const std::string& name) {
        if (is_known(name)) return;
        const std::string near = config::nearest(name, known);
        out.push_back({field, fmt::format("{} is neither a swept key nor a column", config::quoted(name)),
                       fmt::format("{}known: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                                   fmt::join(known, ", "))});
    };
    for (std::size_t f = 0; f < spec.figures.size(); ++f) {
        const figure_spec& figure = spec.figures[f];
        check(fmt::format("figures[{}].x", f), figure.x);
        for (std::size_t i = 0; i < figure.y.size(); ++i) check(fmt::format("figures[{}].y[{}]", f, i), figure.y[i]);
        if (figure.series) check(fmt::format("figures[{}].series", f), *figure.series);
    }
    return out;
}

class drawer {
public:
    drawer(const figure_spec& figure, const result_frame& frame)
        : figure_(figure),
          frame_(frame),
          x_(*frame.find(figure.x)) {
        if (figure.series) series_ = frame.find(*figure.series);
        find_other_keys();
    }

    face::chart draw(const std::string& id) {
        chart_.id = id;
        chart_.title = figure_.title;
        if (chart_.title.empty()) chart_.title = fmt::format("{} by {}", fmt::join(figure_.y, ", "), figure_.x);
        const bool bars = choose_kind();
        const frame_column& x = frame_.columns[x_];
        chart_.x = {x.name, bars ? "" : x.unit, !bars && figure_.x_scale == axis_scale::log};
        if (bars && !x.unit.empty()) chart_.x.name = fmt::format("{} ({})", x.name, x.unit);
        const frame_column& y = frame_.columns[*frame_.find(figure_.y.front())];
        chart_.y = {figure_.y_name.empty() && figure_.y.size() == 1 ? y.name : figure_.y_name, y.unit,
                    figure_.y_scale == axis_scale::log};
        for (const std::string& name : figure_.y) add_curves(*frame_.find(name), bars);
        if (!bars) {
            for (face::point_series& s : chart_.series) std::stable_sort(s.points.begin(), s.points.end());
        }
        return std::move(chart_);
    }

private:
    // Swept keys beside x and series that differ between finished points.
    void find_other_keys() {
        for (std::size_t k = 0; k < frame_.keys; ++k) {
            if (k == x_ || k == series_) continue;
            std::set<std::string> values;
            for (std::size_t r = 0; r < frame_.rows.size(); ++r) {
                if (frame_.is_finished(r)) values.insert(text_of(frame_.rows[r][k]));
            }
            if (values.size() > 1) others_.push_back(k);
        }
    }

    // Whether the figure has bars: if asked for, or if x is not a number.
    bool choose_kind() {
        switch (figure_.kind) {
        case figure_kind::line: chart_.type = face::chart::kind::line; break;
        case figure_kind::step: chart_.type = face::chart::kind::step; break;
        case figure_kind::scatter: chart_.type = face::chart::kind::scatter; break;
        case figure_kind::bar: chart_.type = face::chart::kind::bar; return true;
        }
        for (std::size_t r = 0; r < frame_.rows.size(); ++r) {
            if (!frame_.is_finished(r) || frame_.rows[r][x_].is_number() || frame_.rows[r][x_].is_null()) continue;
            chart_.type = face::chart::kind::bar;
            chart_.note = fmt::format("As bars: {} has values that are no numbers.", frame_.columns[x_].name);
            return true;
        }
        return false;
    }

    void add_curves(std::size_t y, bool bars) {
        for (std::size_t r = 0; r < frame_.rows.size(); ++r) {
            const json& value = frame_.rows[r][y];
            const json& x = frame_.rows[r][x_];
            if (!frame_.is_finished(r) || !value.is_number() || x.is_null()) continue;
            curve(name_of_curve(r, y))
                .points.emplace_back(bars ? category(text_of(x)) : x.get<double>(), value.get<double>());
        }
    }

    std::string name_of_curve(std::size_t row, std::size_t y) const {
        std::vector<std::string> parts;
        if (figure_.y.size() > 1) parts.push_back(frame_.columns[y].name);
        const auto with_unit = [&](std::size_t c) {
            const std::string& unit = frame_.columns[c].unit;
            return text_of(frame_.rows[row][c]) + (unit.empty() ? "" : " " + unit);
        };
        if (series_)
            parts.push_back(frame_.rows[row][*series_].is_string()
                                ? with_unit(*series_)
                                : fmt::format("{} {}", frame_.columns[*series_].name, with_unit(*series_)));
        for (const std::size_t k : others_) parts.push_back(fmt::format("{} {}", frame_.columns[k].name, with_unit(k)));
        return parts.empty() ? frame_.columns[y].name : fmt::format("{}", fmt::join(parts, ", "));
    }

    face::point_series& curve(const std::string& name) {
        for (face::point_series& s : chart_.series) {
            if (s.name == name) return s;
        }
        chart_.series.push_back({name, {}});
        return chart_.series.back();
    }

    double category(const std::string& name) {
        const auto known = std::find(chart_.categories.begin(), chart_.categories.end(), name);
        const auto index = known - chart_.categories.begin();
        if (known == chart_.categories.end()) chart_.categories.push_back(name);
        return static_cast<double>(index);
    }

    const figure_spec& figure_;
    const result_frame& frame_;
    std::size_t x_;
    std::optional<std::size_t> series_;
    std::vector<std::size_t> others_;
    face::chart chart_;
};

}  // namespace

std::vector<missing_value> missing_columns(const sweep_spec& spec, const result_frame& frame) {
    std::vector<std::string> known;
    for (const frame_column& column : frame.columns) known.push_back(column.name);
    return missing(
        spec, [&frame](const std::string& name) { return frame.find(name).has_value(); }, known);
}

std::vector<missing_value> missing_columns(const sweep_spec& spec, const std::vector<std::string>& keys) {
    if (spec.columns.empty()) return {};
    std::vector<std::string> known = keys;
    std::set<std::string> values;
    for (const column_spec& column : spec.columns) {
        if (!column.name.empty()) known.push_back(column.name);
        if (column.name.empty() && column.over.empty()) known.push_back(column.value);
        if (column.over.empty()) values.insert(column.value);
    }
    const auto is_known = [&](const std::string& name) {
        return values.contains(name) || std::find(known.begin(), known.end(), name) != known.end();
    };
    return missing(spec, is_known, known);
}

face::chart draw(const figure_spec& figure, const std::string& id, const result_frame& frame) {
    return drawer(figure, frame).draw(id);
}

}  // namespace contraflow::sweep
