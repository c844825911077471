// SPDX-License-Identifier: Apache-2.0
// Evaluates communications at either level for a run, and adds verdicts, warnings, conservation and statistics to the
// report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/run/run_context.h"
#include "pcie/model/network.h"
#include "pcie/model/timeline.h"
#include "pcie_study/bottleneck.h"
#include "pcie_study/model_report.h"
#include "pcie_study/study_spec.h"
#include "pcie_study/tlm_run.h"

namespace contraflow::pcie_study {

using sends = std::vector<pcie::model::communication>;

// A larger relative difference between closed form and TLM gives a warning: the accuracy of the published model.
inline constexpr double worth_a_warning = 0.15;

class evaluation {
public:
    evaluation(const study_spec& settings, const pcie::topology& tree, face::run_context& context);

    const pcie::model::network& net() const { return net_; }
    bool in_closed_form() const { return settings_.level != evaluation_level::tlm; }
    bool in_tlm() const { return settings_.level != evaluation_level::model; }

    pcie::model::timeline_result closed_form(const sends& s);
    // observed: trace and waves show this run, if they were requested.
    tlm_result packets(const sends& s, bool observed);

    // What limits a run, and what twice of it would give. None: it is not asked for, or one of the runs was stopped.
    std::optional<bottleneck> limit_of(const sends& s, const pcie::model::timeline_result& r);
    std::optional<bottleneck> limit_of(const sends& s, const tlm_result& r);
    // A headline with it, and its data in the results.
    void name_limit(const std::string& what, const std::optional<bottleneck>& b, nlohmann::ordered_json& results);

    // Exit code of one evaluation; the report has the errors.
    int judge(const pcie::model::timeline_result& r, const std::string& what);
    int judge(const tlm_result& r, const std::string& what);
    void warn_of_disagreement(const std::string& what, const sends& s, const pcie::model::timeline_result& closed,
                              const tlm_result& packets);
    // A section about a TLM run, and its statistics under the section's id.
    void add_packets(tlm_result& r, const sends& s, const std::string& id, const std::string& title, detail how_much);

private:
    void warn_once(std::string text);
    std::optional<double> time_on(const pcie::model::network& net, const sends& s);
    std::optional<double> time_on(const pcie::topology& tree, const pcie::fabric_spec& spec, const sends& s);

    const study_spec& settings_;
    const pcie::topology& tree_;
    face::run_context& context_;
    face::report_data& report_;
    const pcie::model::network net_;
};

}  // namespace contraflow::pcie_study
