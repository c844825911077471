// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/exchange_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/counted.h"
#include "face/command_line/errors.h"
#include "pcie_study/evaluation.h"
#include "pcie_study/order_run.h"
#include "pcie_study/search_report.h"
#include "pcie_study/time_scale.h"
#include "pcie_study/tlm_report.h"

namespace contraflow::pcie_study {
namespace {

using pcie::model::timeline_result;

void refuse_what_needs_tlm(face::run_context& context) {
    constexpr auto advice = "the closed-form model has none (--set level=tlm, or both)";
    if (context.trace() != nullptr) throw face::usage_error(fmt::format("--trace shows packets: {}", advice));
    if (context.waves() != nullptr) throw face::usage_error(fmt::format("--wave shows signals: {}", advice));
    if (context.limit_time() != core::sim_time::never())
        throw face::usage_error(fmt::format("--limit-time ends a simulation: {}", advice));
}

// Only communications that another source held back: a wait for the own source explains nothing.
void name_worst(const evaluation& levels, const sends& s, const timeline_result& r, face::report_data& report) {
    std::size_t worst = s.size();
    for (std::size_t i = 0; i < s.size(); ++i)
        if (r.communications[i].ended() && r.communications[i].average_factor < 1 - 1e-9 &&
            r.communications[i].main().why != pcie::model::reason::source &&
            (worst == s.size() || r.communications[i].average_factor < r.communications[worst].average_factor))
            worst = i;
    if (worst != s.size())
        report.headline.push_back(fmt::format("slowed most: {}, {:.2f} times, by {}", s[worst].name,
                                              1 / r.communications[worst].average_factor,
                                              causes_text(levels.net(), s, r.communications[worst].lost)));
}

std::string ends_text(std::size_t n) { return core::counted(n, "send ends", "sends end"); }

// The communications in the given order.
int run_once(const sends& s, evaluation& levels, face::report_data& report) {
    int code = face::exit_ok;
    std::optional<timeline_result> closed;
    std::optional<tlm_result> packets;
    if (levels.in_closed_form()) {
        closed = levels.closed_form(s);
        code = std::max(code, levels.judge(*closed, "closed form"));
        if (closed->status == timeline_result::outcome::finished)
            report.headline.push_back(
                fmt::format("closed form: {} after {}", ends_text(s.size()), time_text(closed->end_s)));
        name_worst(levels, s, *closed, report);
        const auto limit = levels.limit_of(s, *closed);
        const model_view view{levels.net(), s, *closed, limiting_links(limit)};
        report.sections.push_back(model_section(view, "model", "Closed-form model", detail::whole));
        report.results["model"] = model_results(view);
        levels.name_limit("closed form", limit, report.results["model"]);
    }
    if (levels.in_tlm()) {
        packets = levels.packets(s, true);
        code = std::max(code, levels.judge(*packets, "TLM"));
        if (packets->complete())
            report.headline.push_back(fmt::format("TLM: {} after {}, {}", ends_text(s.size()),
                                                  time_text(packets->makespan_s()),
                                                  bytes_text(packets->wrong_bytes())));
        levels.add_packets(*packets, s, "tlm", "TLM model", detail::whole);
        report.results["tlm"] = tlm_results(*packets);
        levels.name_limit("TLM", levels.limit_of(s, *packets), report.results["tlm"]);
    }
    if (closed && packets && packets->complete() && closed->status == timeline_result::outcome::finished) {
        levels.warn_of_disagreement("as configured", s, *closed, *packets);
        report.sections.push_back(
            comparison_section(levels.net(), s, *closed, *packets, "comparison", "Closed form against TLM"));
    }
    return code;
}

}  // namespace

std::optional<pcie::model::order_problem> wanted_problem(const study_spec& settings, const sends& configured) {
    if (settings.search.mode == search_mode::none) return std::nullopt;
    auto found = order_problem_of(configured);
    if (found.obstacle.empty()) return std::move(found.problem);
    if (settings.search.mode != search_mode::automatic)
        throw face::usage_error(
            fmt::format("no order to search for: {} (search.mode: none leaves the search out)", found.obstacle));
    return std::nullopt;
}

int run_exchange(const study_spec& settings, const pcie::topology& tree, const sends& communications,
                 face::run_context& context) {
    auto& report = context.report();
    evaluation levels(settings, tree, context);
    if (!levels.in_tlm()) refuse_what_needs_tlm(context);
    const auto problem = wanted_problem(settings, communications);
    report.title =
        fmt::format("{} between {} endpoints", core::counted(communications.size(), "send"), tree.endpoints().size());
    if (levels.in_closed_form() || problem) report.levels.emplace_back("closed form", "PCIe congestion factors");
    if (levels.in_tlm()) report.levels.emplace_back("TLM", "packets, credits, buffers");
    if (problem) return run_orders(settings, tree, communications, *problem, levels, context);
    return run_once(communications, levels, report);
}

}  // namespace contraflow::pcie_study
