// SPDX-License-Identifier: Apache-2.0
// The report page: one HTML file that holds everything it shows, needs no network, and draws from the content of
// report.json (schema "contraflow-report/1") in the browser.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace contraflow::report {

// The result is well-formed HTML for every `report`. No text of the report runs as markup or script.
std::string render_page(const nlohmann::ordered_json& report);

}  // namespace contraflow::report
