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

// Draws finished points. A point's x gives its place on a curve. `series` and every other swept key with several values
// select the curve.
face::chart draw(const figure_spec& figure, const std::string& id, const result_frame& frame);

}  // namespace contraflow::sweep
