// SPDX-License-Identifier: Apache-2.0
// Files of worked cases, {"cases": [...]}: read, evaluated, and written in the form of their expected values.
// Schema: docs/pcie_model.md. Sizes in bytes, times in milliseconds, bandwidth in GiB/s.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/text/json_reader.h"
#include "pcie/model/communication.h"
#include "pcie/model/network.h"

namespace contraflow::pcie::model {

struct case_input {
    std::string name;
    std::string about;
    network_options options;
    topology tree;
    std::vector<communication> communications;
};

// "worked.json:12:9: error: cases[3].communications[1].to: unknown endpoint 'gpu9' (did you mean 'gpu0'?)"
std::string to_text(const config::json_problem& problem, std::string_view file);

struct case_file {
    std::vector<case_input> cases;               // complete if there are no problems
    std::vector<config::json_problem> problems;  // all that are found
};
case_file parse_cases(std::string_view text);

struct case_result {
    struct row {
        std::string name;
        double factor = 0.0;   // in the first step in which it is active
        double time_ms = 0.0;  // end - start, waiting included
    };
    std::string name;
    std::vector<row> communications;  // in the file's order
    std::string error;                // no progress: why; the rows are empty then
};
case_result evaluate(const case_input& input);
// [{name, communications: [{name, factor, time_ms}]}]; on an error, `error` replaces the rows.
nlohmann::ordered_json to_json(const std::vector<case_result>& results);

}  // namespace contraflow::pcie::model
