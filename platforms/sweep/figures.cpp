// SPDX-License-Identifier: Apache-2.0
#include "sweep/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
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
        out.push_back({field, fmt::format("{} is neither a swept key nor a column", config::quoted(name)),
                       config::known_keys(name, known)});
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
    drawer(const figure_spec& figure, const result_frame& frame, const std::vector<figure_spec>& beside)
        : figure_(figure),
          frame_(frame),
          beside_(beside),
          x_(*frame.find(figure.x)) {
        if (figure.series) series_ = frame.find(*figure.series);
        find_other_keys();
    }

    drawing draw(const std::string& id) {
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
        for (const std::string& name : figure_.y) {
            const std::size_t curves = chart_.series.size();
            add_curves(*frame_.find(name), bars);
            if (chart_.series.size() == curves)
                chart_.note += fmt::format("{}{} has no numbers to draw.", chart_.note.empty() ? "" : " ", name);
        }
        if (!bars) {
            for (face::point_series& s : chart_.series) sort(s);
        }
        const auto of_column = [&](const std::string& name) { return frame_.columns[*frame_.find(name)]; };
        const bool ratios = std::all_of(figure_.y.begin(), figure_.y.end(),
                                        [&](const std::string& name) { return of_column(name).is_ratio; });
        if (ratios) chart_.references.push_back({1, "1: both the same"});
        if (chart_.type == face::chart::kind::line || chart_.type == face::chart::kind::step) {
            if (ratios)
                for (const std::string& name : figure_.y) cross_one(*frame_.find(name));
            else if (figure_.y.size() == 2 && of_column(figure_.y[0]).unit == of_column(figure_.y[1]).unit)
                cross_pairs();
        }
        return {std::move(chart_), std::move(crossovers_)};
    }

private:
    // The figure that shows both values of a ratio as curves: it tells where they pass each other. Null: there is none.
    const figure_spec* figure_of_values(const frame_column& ratio) const {
        for (const figure_spec& f : beside_) {
            if (f.y.size() != 2 || frame_.find(f.x) != x_) continue;
            if (f.kind != figure_kind::line && f.kind != figure_kind::step) continue;
            const auto a = frame_.find(f.y[0]), b = frame_.find(f.y[1]);
            if (!a || !b) continue;
            const frame_column &first = frame_.columns[*a], &second = frame_.columns[*b];
            if (!first.is_value || !second.is_value || first.unit != second.unit) continue;
            if (first.is_ratio && second.is_ratio) continue;
            if ((first.value == ratio.value && second.value == ratio.over) ||
                (first.value == ratio.over && second.value == ratio.value))
                return &f;
        }
        return nullptr;
    }

    // The curves of a ratio against 1.
    void cross_one(std::size_t column) {
        const figure_spec* const values = figure_of_values(frame_.columns[column]);
        std::vector<crossover> of_values;
        if (values != nullptr) {
            figure_spec alike = *values;
            alike.series = figure_.series;
            of_values = drawer(alike, frame_, beside_).draw("").crossovers;
        }
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            const face::point_series& s = chart_.series[i];
            if (curves_[i].column != column) continue;
            if (values == nullptr) find_crossovers(s, ones(s), true, s.name, curves_[i].rest);
            for (const crossover& c : of_values)
                if (c.rest == curves_[i].rest) add({s.name, c.x, 1, c.from, c.to, true, c.is_point, c.rest});
        }
    }

    void add(crossover c) {
        chart_.marks.push_back({c.x, c.y, fmt::format("{}{:.3g}", c.is_point ? "" : "about ", c.x)});
        crossovers_.push_back(std::move(c));
    }

    static void sort(face::point_series& s) {
        std::vector<std::size_t> order(s.points.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return s.points[a] < s.points[b]; });
        const face::point_series as_found = s;
        for (std::size_t i = 0; i < order.size(); ++i) {
            s.points[i] = as_found.points[order[i]];
            s.names[i] = as_found.names[order[i]];
        }
    }

    static face::point_series ones(const face::point_series& s) {
        face::point_series out = s;
        for (auto& p : out.points) p.second = 1;
        return out;
    }

    // The curves of the first column against those of the second that differ from them in nothing else.
    void cross_pairs() {
        const auto series = chart_.series;
        for (std::size_t a = 0; a < series.size(); ++a)
            for (std::size_t b = a + 1; b < series.size(); ++b)
                if (curves_[a].column != curves_[b].column && curves_[a].rest == curves_[b].rest)
                    find_crossovers(series[a], series[b], false,
                                    fmt::format("{} and {}{}", frame_.columns[curves_[a].column].name,
                                                frame_.columns[curves_[b].column].name,
                                                curves_[a].rest.empty() ? "" : ", " + curves_[a].rest),
                                    curves_[a].rest);
    }

    // The value at that share of the way from one value to another on their axis.
    static double between(const face::axis& on, double from, double to, double share) {
        return on.log ? from * std::pow(to / from, share) : from + share * (to - from);
    }
    static double distance(const face::axis& on, double a, double b) { return on.log ? std::log(a / b) : a - b; }
    static bool is_drawn(const face::axis& on, double value) { return !on.log || value > 0; }

    // On the straight line between two points as it is drawn, or at a point at which both are the same.
    void find_crossovers(const face::point_series& a, const face::point_series& b, bool of_ratio,
                         const std::string& name, const std::string& rest) {
        struct difference {
            double x, y, by;
        };
        std::optional<difference> before;
        std::vector<difference> same;  // points since then at which both are the same
        for (const auto& [x, y] : a.points) {
            const auto other =
                std::find_if(b.points.begin(), b.points.end(), [x = x](const auto& p) { return p.first == x; });
            if (other == b.points.end() || !is_drawn(chart_.x, x) || !is_drawn(chart_.y, y) ||
                !is_drawn(chart_.y, other->second))
                continue;
            const difference here{x, y, distance(chart_.y, y, other->second)};
            if (here.by == 0) {
                same.push_back(here);
                continue;
            }
            if (before && before->x < x && (before->by < 0) != (here.by < 0)) {
                const double share = before->by / (before->by - here.by);
                const double at_x = same.empty() ? between(chart_.x, before->x, x, share) : same.front().x;
                const double at_y = same.empty() ? between(chart_.y, before->y, y, share) : same.front().y;
                add({name, at_x, at_y, before->x, x, of_ratio, !same.empty(), rest});
            }
            before = here;
            same.clear();
        }
    }

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
            face::point_series& into = curve(r, y);
            into.points.emplace_back(bars ? category(text_of(x)) : x.get<double>(), value.get<double>());
            into.names.push_back(frame_.names[r]);
        }
    }

    // What tells curves of one column apart.
    std::string rest_of_name(std::size_t row) const {
        std::vector<std::string> parts;
        const auto with_unit = [&](std::size_t c) {
            const std::string& unit = frame_.columns[c].unit;
            return text_of(frame_.rows[row][c]) + (unit.empty() ? "" : " " + unit);
        };
        if (series_)
            parts.push_back(frame_.rows[row][*series_].is_string()
                                ? with_unit(*series_)
                                : fmt::format("{} {}", frame_.columns[*series_].name, with_unit(*series_)));
        for (const std::size_t k : others_) parts.push_back(fmt::format("{} {}", frame_.columns[k].name, with_unit(k)));
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    face::point_series& curve(std::size_t row, std::size_t y) {
        const std::string rest = rest_of_name(row), &column = frame_.columns[y].name;
        const std::string name = rest.empty()            ? column
                                 : figure_.y.size() == 1 ? rest
                                                         : fmt::format("{}, {}", column, rest);
        for (face::point_series& s : chart_.series) {
            if (s.name == name) return s;
        }
        chart_.series.push_back({name, {}, {}});
        curves_.push_back({y, rest});
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
    const std::vector<figure_spec>& beside_;
    std::size_t x_;
    std::optional<std::size_t> series_;
    std::vector<std::size_t> others_;
    struct curve_key {
        std::size_t column;
        std::string rest;
    };
    std::vector<curve_key> curves_;  // of the chart's series
    std::vector<crossover> crossovers_;
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

std::string to_text(const crossover& c, const face::chart& in) {
    const std::string unit = in.x.unit.empty() ? "" : " " + in.x.unit;
    const std::string what =
        fmt::format("{}: {} at {}", c.curves, c.of_ratio ? "1 is passed" : "they pass each other", in.x.name);
    if (c.is_point) return fmt::format("{} {:.3g}{}, a point of the sweep", what, c.x, unit);
    return fmt::format("{} between {:g} and {:g}{}, about {:.3g}{} by interpolation", what, c.from, c.to, unit, c.x,
                       unit);
}

drawing draw(const figure_spec& figure, const std::string& id, const result_frame& frame,
             const std::vector<figure_spec>& beside) {
    return drawer(figure, frame, beside).draw(id);
}

}  // namespace contraflow::sweep
