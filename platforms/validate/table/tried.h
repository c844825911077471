// SPDX-License-Identifier: Apache-2.0
// The outcome of an experiment, and the forms in which the table of experiments is written.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "face/results/report_data.h"
#include "validate/table/experiment.h"

namespace contraflow::validate {

struct tried {
    const experiment* of = nullptr;
    answer found;
    bool held = false;
    std::string error{};  // the fault of an experiment that could not be carried out
};

// An experiment that throws has not held; one that was stopped passes `stopped` through.
tried try_out(const experiment& e, const run_environment& environment);

face::table as_table(const std::vector<tried>& all);
// Measured over expected, a chart a model.
face::section as_charts(const std::vector<tried>& all);
// [{id, expected, measured, unit, relation, tolerance, verdict, detail}]
nlohmann::ordered_json as_json(const std::vector<tried>& all);
// docs/physics.md
std::string as_page(const std::vector<tried>& all);
// "50 experiments: 48 hold, 2 do not."
std::string count_text(const std::vector<tried>& all);

}  // namespace contraflow::validate
