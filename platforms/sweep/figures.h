// SPDX-License-Identifier: Apache-2.0
// The figures of a sweep's report page, drawn from its results.
#pragma once

#include <string>
#include <vector>

#include "config/text/diagnostics.h"
#include "face/results/report_data.h"
#include "sweep/result_frame.h"

namespace contraflow::sweep {

// Columns that a figure names and the frame does not have.
std::vector<missing_value> missing_columns(const sweep_spec& spec, const result_frame& frame);

// The same before any run, as far as swept keys and `columns` are known.
std::vector<missing_value> missing_columns(const sweep_spec& spec, const std::vector<std::string>& keys);

// Where a curve of ratios passes 1, or two curves of one unit pass each other: on the straight line between two points
// as it is drawn on its axes. Where another figure shows both values of a ratio, the ratio passes 1 where their curves
// pass each other.
struct crossover {
    std::string curves;
    double x = 0, y = 0;
    double from = 0, to = 0;  // x of the points
    bool of_ratio = false;
    bool is_point = false;  // both are the same at a point: nothing is interpolated
    std::string rest{};     // what tells its curves from the others of their columns
};
// "page_size 4 KiB: 1 is passed at workload.passes between 16 and 64, about 23.7 by interpolation"
std::string to_text(const crossover& c, const face::chart& in);

struct drawing {
    face::chart chart;
    std::vector<crossover> crossovers;  // marked in the chart as well
};

// Draws finished points. A point's x gives its place on a curve. `series` and every other swept key with several values
// select the curve. `beside` are all figures of the sweep.
drawing draw(const figure_spec& figure, const std::string& id, const result_frame& frame,
             const std::vector<figure_spec>& beside = {});

}  // namespace contraflow::sweep
