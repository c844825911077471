// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/results_form.h"

#include "pcie_study/exchange_run.h"
#include "pcie_study/search_report.h"
#include "pcie_study/tlm_report.h"

namespace contraflow::pcie_study {
namespace {

using json = nlohmann::ordered_json;

// The closed form knows no waits.
json bottleneck_form(const pcie::topology& tree, const std::string& waits) {
    bottleneck b;
    b.waits = waits;
    b.alone = bottleneck::single{"a link", 1.0};
    return to_json(tree, b);
}

json model_form(const pcie::topology& tree, const sends& s) {
    pcie::model::timeline_result ended;
    ended.communications.resize(s.size());
    for (auto& c : ended.communications) c.end_s = 1.0;
    json out = model_results({pcie::model::network(tree, {}), s, ended});
    out["bottleneck"] = bottleneck_form(tree, "");
    return out;
}

json tlm_form(const pcie::topology& tree, const sends& s, bool limited) {
    tlm_result ended;
    ended.streams.resize(s.size());
    json out = tlm_results(ended);
    for (json& row : out["communications"]) row["time_ms"] = 1.0;
    if (limited) out["bottleneck"] = bottleneck_form(tree, "something");
    return out;
}

json search_form(const pcie::topology& tree, const pcie::model::order_problem& problem) {
    const pcie::model::search_result found;
    json out = search_results({tree, problem, found, 1.0});
    for (const char* name : {"median_ms", "within_1_percent"}) out[name] = 1.0;
    out["slowest"] = out["fastest"];
    for (const char* order : {"fastest", "slowest"})
        for (const auto& source : problem) out[order]["sends"][tree[source.from].name] = json::array();
    return out;
}

}  // namespace

json results_form(const study_spec& settings, const pcie::topology& tree, const sends& s) {
    const bool tlm = settings.level != evaluation_level::model, model = settings.level != evaluation_level::tlm;
    json out = json::object();
    if (const auto problem = wanted_problem(settings, s)) {
        out["search"] = search_form(tree, *problem);
        out["fastest"] = model_form(tree, s);
        if (tlm) out["tlm"] = {{"fastest", tlm_form(tree, s, true)}, {"slowest", tlm_form(tree, s, false)}};
        return out;
    }
    if (model) out["model"] = model_form(tree, s);
    if (tlm) out["tlm"] = tlm_form(tree, s, true);
    return out;
}

}  // namespace contraflow::pcie_study
