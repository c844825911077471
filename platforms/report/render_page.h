// SPDX-License-Identifier: Apache-2.0
// The report page: one HTML file that holds everything it shows, needs no network, and draws from the content of
// report.json (schema "contraflow-report/1") in the browser.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace contraflow::report {

// Whatever `report` holds, the result is well-formed HTML that runs no text of the report as markup or script.
std::string render_page(const nlohmann::ordered_json& report);

}  // namespace contraflow::report
