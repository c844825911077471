// SPDX-License-Identifier: Apache-2.0
#include "study/study_spec.h"

#include <fmt/ranges.h>

#include "workloads/selection_check.h"

namespace contraflow::study {
namespace {

void check_also_set(const programs_spec& s, const configuration_place& in, config::diagnostics& diag) {
    std::vector<std::string> names;
    for (const auto& name : s.also) names.push_back(name.text);
    for (std::size_t i = 0; i < s.also_set.size(); ++i) {
        const auto at = in.where(fmt::format("also_set[{}]", i));
        const auto p = parameter_of::read(s.also_set[i]);
        if (!p) {
            diag.error(at, fmt::format("{} is no parameter of a workload", config::quoted(s.also_set[i])),
                       "workload.parameter=value, such as pagerank.iterations=2");
            continue;
        }
        if (std::find(names.begin(), names.end(), p->workload) == names.end()) {
            diag.error(at, fmt::format("{} is not one of `also`", config::quoted(p->workload)),
                       config::did_you_mean(p->workload, names, fmt::format("also: {}", fmt::join(names, ", "))));
            continue;
        }
        workloads::selection w(p->workload, s.workload.size());
        if (!w.parameter(p->path))
            diag.error(at, fmt::format("{} has no parameter {}", p->workload, config::quoted(p->path)),
                       "its parameters: " + w.parameters_text());
        else if (!w.set(p->path, p->value))
            diag.error(at, fmt::format("{} can't be {}", p->path, config::quoted(p->value)),
                       fmt::format("such as {}", *w.parameter(p->path)));
    }
}

}  // namespace

std::optional<parameter_of> parameter_of::read(const std::string& text) {
    const auto dot = text.find('.'), equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals) return std::nullopt;
    return parameter_of{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)};
}

std::vector<workloads::selection> workloads_of(const programs_spec& s, unsigned gpus) {
    std::vector<workloads::selection> all{s.workload};
    for (const auto& name : s.also) {
        auto& added = all.emplace_back(name.text, s.workload.size());
        added.set("sockets", std::to_string(gpus));
        for (const auto& text : s.also_set)
            if (const auto p = parameter_of::read(text); p && p->workload == name.text) added.set(p->path, p->value);
    }
    if (s.seed != 0)
        for (auto& w : all) w.set("seed", std::to_string(s.seed));
    return all;
}

void check_programs(programs_spec& s, unsigned gpus, const std::string& count_key, const configuration_place& in,
                    config::diagnostics& diag) {
    workloads::check(s.workload, {in.where, in.report, in.mark_computed, gpus, count_key}, diag);
    check_also_set(s, in, diag);
    if (diag.failed()) return;
    const auto all = workloads_of(s, gpus);
    for (std::size_t i = 1; i < all.size(); ++i)
        if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const auto& w) { return w.name() == all[i].name(); }))
            diag.error(in.where(fmt::format("also[{}]", i - 1)), fmt::format("{} twice", all[i].name()),
                       "each workload once; a sweep runs one with several parameters");
    for (std::size_t i = 1; i < all.size(); ++i)
        for (const auto& p : all[i].problems())
            diag.error(in.where(fmt::format("also[{}]", i - 1)), p.message,
                       "it can be the workload, with its parameters, or be given them by also_set");
}

void check_window(const observe::time_window& w, const configuration_place& in) {
    if (w.to > w.from) return;
    in.report(
        {fmt::format("the window ends before it begins: from {} to {}", core::to_text(w.from), core::to_text(w.to)),
         {{"window.from", "less than " + core::to_text(w.to)}, {"window.to", "more than " + core::to_text(w.from)}}});
}

void check_pauses(core::sim_time watchdog, const std::vector<pause>& pauses, const configuration_place& in) {
    for (const pause& quiet : pauses) {
        if (watchdog >= quiet.time * 2) continue;
        const core::sim_time most{watchdog.ps / 2};
        const bool in_cycles = quiet.cycle.ps != 0;
        config::problem p{fmt::format("a run would stop after {} without movement, less than twice {}, {}",
                                      core::to_text(watchdog), quiet.path, core::to_text(quiet.time)),
                          {{"watchdog", "at least " + core::to_text(quiet.time * 2)},
                           {quiet.path, "at most " + (in_cycles ? core::to_text(core::cycles{most.ps / quiet.cycle.ps})
                                                                : core::to_text(most))}}};
        if (in_cycles)
            p.suspects.push_back(
                {quiet.clock_key, fmt::format("one with which {} is at most half of watchdog", quiet.path)});
        in.report(p);
    }
}

void check_compare(const std::vector<std::string_view>& compare, const configuration_place& in,
                   config::diagnostics& diag) {
    if (compare.empty()) diag.error(in.where("compare"), "there is nothing to compare");
    for (std::size_t i = 0; i < compare.size(); ++i)
        if (std::count(compare.begin(), compare.begin() + static_cast<std::ptrdiff_t>(i), compare[i]) != 0)
            diag.error(in.where(fmt::format("compare[{}]", i)), fmt::format("{} twice", compare[i]));
}

}  // namespace contraflow::study
