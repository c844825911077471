// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/results_form.h"

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "runner/ended_runs.h"
#include "torus_nic/messages/message_report.h"
#include "torus_nic/offered_load/offered_load_report.h"
#include "torus_nic/programs/program_report.h"

namespace contraflow::torus_nic {
namespace {

void use_core(nic_levels::core_profile& profile) {
    profile.packets = 1;
    profile.rows.resize(iss::routine_profile::idle + 1);
    for (std::size_t i = 0; i < profile.rows.size(); ++i)
        profile.rows[i].name = std::to_string(i);  // rows are told apart
}

std::vector<load_result> ended_loads(const experiment& e) {
    return runner::ended_runs<load_result>(e.loads, [](load_result& r, double load) {
        r.load = load;
        r.measured = 1;
    });
}

// `links`: the use of links is among the results.
std::vector<message_result> ended_messages(const experiment& e, bool watched, bool links) {
    return runner::ended_runs<message_result>(variants_of(e), [&](message_result& r, const message_variant& v) {
        r.variant = v;
        for (const core::bytes size : e.messages.sizes) r.sizes.push_back({.size = size, .messages = 1});
        if (watched) {
            r.watched.emplace();
            r.watched->lookup_known = true;
            if (has_core(e.receive.chosen())) use_core(r.profile);
        }
        if (links) r.links.emplace_back();
    });
}

std::vector<program_result> ended_programs(const experiment& e) {
    return runner::ended_runs<program_result>(choices_of(e.programs), [&](program_result& r, const program_choice& p) {
        r.program = p;
        if (has_core(e.receive.chosen())) use_core(r.profile);
    });
}

// Only a run tells which links and routines there are: such lists may hold anything.
void open_lists(nlohmann::ordered_json& in) {
    if (!in.is_structured()) return;
    for (auto& [key, value] : in.items())
        if (key == "links" || key == "routines")
            value = nlohmann::ordered_json::array();
        else
            open_lists(value);
}

}  // namespace

nlohmann::ordered_json results_form(const experiment& e) {
    face::report_data report;
    experiment part = e;
    switch (e.kind) {
    case experiment_kind::offered_load: fill(report, e, ended_loads(e)); break;
    case experiment_kind::programs: fill(report, e, ended_programs(e)); break;
    case experiment_kind::nodes:
        part.kind = experiment_kind::latency;
        fill(report, part, ended_messages(part, true, false));
        part.kind = experiment_kind::bandwidth;
        part.messages.flow = message_flow::ring;
        fill(report, part, ended_messages(part, false, true));
        part.kind = experiment_kind::programs;
        fill(report, part, ended_programs(part));
        break;
    default: fill(report, e, ended_messages(e, true, true));
    }
    open_lists(report.results);
    return report.results;
}

}  // namespace contraflow::torus_nic
