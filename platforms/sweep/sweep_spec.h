// SPDX-License-Identifier: Apache-2.0
// The keys of a sweep's file: the platform and configurations to run, and the results to show.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"

namespace contraflow::sweep {

enum class figure_kind { line, bar, step, scatter };
enum class axis_scale { linear, log };

// A value of report.json's `results`.
struct column_spec {
    std::string value;
    std::string name;
    std::string unit;
    std::string over;

    static void describe(config::fields<column_spec>& f) {
        f("value", &column_spec::value).required().text("path in the results, such as tlm.end_ms; in the row first");
        f("name", &column_spec::name).text("heading; the path if empty");
        f("unit", &column_spec::unit).text("unit of the values, for headings and axes");
        f("over", &column_spec::over).text("path of another value: the column is the ratio of the two");
    }
};

struct figure_spec {
    std::string title;
    figure_kind kind = figure_kind::line;
    std::string x;
    std::vector<std::string> y;
    std::optional<std::string> series;
    std::string y_name;
    axis_scale x_scale = axis_scale::linear;
    axis_scale y_scale = axis_scale::linear;

    static void describe(config::fields<figure_spec>& f) {
        f("title", &figure_spec::title).text("heading");
        f("kind", &figure_spec::kind).text("line needs numbers as x; bar takes anything");
        f("x", &figure_spec::x).required().text("a swept key or a column");
        f("y", &figure_spec::y).required().text("columns; one curve or colour for each");
        f("series", &figure_spec::series)
            .text("a swept key or a column: one curve for each of its values; other swept keys are told apart anyway");
        f("y_name", &figure_spec::y_name).text("name of the y axis; the column's if empty");
        f("x_scale", &figure_spec::x_scale).text("scale of the x axis");
        f("y_scale", &figure_spec::y_scale).text("scale of the y axis");
    }
};

struct slurm_spec {
    std::vector<std::string> options;

    static void describe(config::fields<slurm_spec>& f) {
        f("options", &slurm_spec::options).text("handed to sbatch, such as --partition=long");
    }
};

struct sweep_spec {
    std::string title;
    std::string platform;
    std::optional<std::string> configuration;
    std::string folder;
    std::optional<config::free_value> set;
    std::optional<config::free_value> grid;
    std::optional<config::free_value> list;
    std::optional<std::string> rows;
    std::vector<column_spec> columns;
    std::vector<figure_spec> figures;
    slurm_spec slurm;

    static void describe(config::fields<sweep_spec>& f) {
        f("title", &sweep_spec::title).text("title of the report; 'sweep of PLATFORM' if empty");
        f("platform", &sweep_spec::platform).required().text("the platform that makes the runs");
        f("configuration", &sweep_spec::configuration)
            .text("the configuration that every run starts from: a file, relative to `folder`, or a shipped name; may "
                  "be swept as well");
        f("folder", &sweep_spec::folder).text("the folder in which the runs are made; that of this file if empty");
        f("set", &sweep_spec::set).text("map of key to value, for all runs");
        f("grid", &sweep_spec::grid)
            .text("map of key to list of values: every combination is run, the last key changes first");
        f("list", &sweep_spec::list).text("list of maps of key to value: each is run, with every combination of grid");
        f("rows", &sweep_spec::rows).text("path of a list of maps in the results: a row for each; else a row a run");
        f("columns", &sweep_spec::columns).text("columns of the results; every single value if empty");
        f("figures", &sweep_spec::figures).text("figures of the report page");
        f("slurm", &sweep_spec::slurm).text("settings for --engine slurm");
    }
};

}  // namespace contraflow::sweep

namespace contraflow::config {

template <> struct enum_names<sweep::figure_kind> {
    using e = sweep::figure_kind;
    static constexpr std::array names{std::pair{e::line, "line"}, std::pair{e::bar, "bar"}, std::pair{e::step, "step"},
                                      std::pair{e::scatter, "scatter"}};
};
template <> struct enum_names<sweep::axis_scale> {
    using e = sweep::axis_scale;
    static constexpr std::array names{std::pair{e::linear, "linear"}, std::pair{e::log, "log"}};
};

}  // namespace contraflow::config
