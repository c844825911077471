// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/evaluation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "pcie_study/tlm_report.h"

namespace contraflow::pcie_study {
namespace {

constexpr std::size_t recorded_steps = 400;  // enough to read; further steps are only counted

// An experiment's constants and links in the form of the closed-form model.
pcie::model::network network_of(const study_spec& settings, const pcie::topology& tree) {
    pcie::model::network_options options;
    options.tau = settings.model.tau;
    options.reference = settings.model.bandwidth;
    return pcie::model::network(tree, options);
}

}  // namespace

evaluation::evaluation(const study_spec& settings, const pcie::topology& tree, face::run_context& context)
    : settings_(settings),
      tree_(tree),
      context_(context),
      report_(context.report()),
      net_(network_of(settings, tree)) {}

void evaluation::warn_once(std::string text) {
    if (std::find(report_.warnings.begin(), report_.warnings.end(), text) == report_.warnings.end())
        report_.warnings.push_back(std::move(text));
}

pcie::model::timeline_result evaluation::closed_form(const sends& s) {
    pcie::model::timeline_options options;
    options.recorded_steps = recorded_steps;
    options.keep_going = [this] { return context_.keep_going(); };
    auto result = run_timeline(net_, s, options);
    for (const auto& o : result.overloads) warn_once(overload_text(net_, o));
    return result;
}

tlm_result evaluation::packets(const sends& s, bool observed) {
    tlm_options options;
    options.limits = runner::limits_of(context_, settings_.tlm.watchdog, "B");
    options.window = settings_.window;
    if (observed) {
        options.trace = context_.trace();
        options.waves = context_.waves();
    }
    auto r = run_tlm(tree_, settings_.tlm, s, options);
    for (const auto& fault : r.unmet_faults) warn_once(fault);
    return r;
}

int evaluation::judge(const pcie::model::timeline_result& r, const std::string& what) {
    using outcome = pcie::model::timeline_result::outcome;
    if (r.status == outcome::finished) return face::exit_ok;
    if (r.status == outcome::stopped) return face::exit_stopped;
    report_.headline.push_back(fmt::format("{}: {}", what, r.message));
    return face::exit_no_progress;
}

int evaluation::judge(const tlm_result& r, const std::string& what) { return runner::judge(r, what, context_); }

void evaluation::warn_of_disagreement(const std::string& what, const sends& s,
                                      const pcie::model::timeline_result& closed, const tlm_result& packets) {
    std::size_t apart = 0;
    std::size_t worst = 0;
    double largest = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto& p = packets.streams[i];
        if (!closed.communications[i].ended() || !p.done()) continue;
        const double difference = (p.finished - p.start).seconds() / closed.communications[i].time_s() - 1;
        if (std::abs(difference) <= worth_a_warning) continue;
        ++apart;
        if (std::abs(difference) > std::abs(largest)) {
            largest = difference;
            worst = i;
        }
    }
    if (apart != 0)
        report_.warnings.push_back(fmt::format(
            "{}: closed form and TLM differ by more than {:.0f} % for {} of {} sends; most for {}: TLM {:+.0f} %", what,
            worth_a_warning * 100, apart, s.size(), s[worst].name, largest * 100));
}

void evaluation::add_packets(tlm_result& r, const sends& s, const std::string& id, const std::string& title,
                             detail how_much) {
    report_.sections.push_back(tlm_section({tree_, s, r}, id, title, how_much));
    runner::add_statistics(r, id, report_);
}

}  // namespace contraflow::pcie_study
