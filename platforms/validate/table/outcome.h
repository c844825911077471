// SPDX-License-Identifier: Apache-2.0
// The outcome of a row, and the forms in which the table is written: terminal and report, validation.json, Markdown.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "face/results/report_data.h"
#include "validate/table/row.h"

namespace contraflow::validate {

enum class verdict {
    reproduced,      // measured and published values lie in the band
    fitted,          // so do they, and a parameter was chosen for it
    input,           // so do they, and the model was given the published value
    as_derived,      // the measured ones lie in a band around what we derive, and a published one does not
    holds,           // the measured ones lie in a band of ours, and nothing is published
    not_reproduced,  // a measured value lies outside
    report_only,     // there is no band
    failed,          // the experiment
};

struct outcome {
    const row* of = nullptr;
    measurement measured;
    verdict said = verdict::failed;
    std::string reason;  // the experiment's, unless nothing needs one; failed: the fault
};

// An experiment that throws has failed; one that was stopped is no outcome: `stopped` passes through.
outcome measure(const row& r, const run_environment& environment);

// "not reproduced"
std::string to_text(verdict v);
// "0.3, 0.7" in five digits, "-" for a missing value.
std::string values_text(const std::vector<double>& values);
std::string with_unit(const std::string& text, const std::string& unit);
// A number; a list of them if there are several; null where it is missing.
nlohmann::ordered_json values_json(const std::vector<double>& values);
// One cell of a Markdown table.
std::string markdown_cell(const std::string& text);

face::table as_table(const std::vector<outcome>& outcomes);
face::table notes_table(const std::vector<outcome>& outcomes);
// [{id, published, measured, unit, band, verdict, reason}]; published and measured are numbers, or lists of them where
// a row has several.
nlohmann::ordered_json as_json(const std::vector<outcome>& outcomes);
// docs/validation.md
std::string as_page(const std::vector<outcome>& outcomes);

}  // namespace contraflow::validate
