// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/selection_check.h"

namespace contraflow::unified_gpu {
namespace {

using loaded_experiment = config::loaded<experiment>;

void check_compare(const loaded_experiment& loaded, config::diagnostics& diag) {
    using host::migration::policy_kind;
    const auto& e = loaded.value;
    if (e.compare.empty()) diag.error(loaded.where("compare"), "there is nothing to compare");
    for (std::size_t i = 0; i < e.compare.size(); ++i) {
        const memory_policy p = e.compare[i];
        const auto path = fmt::format("compare[{}]", i);
        if (std::count(e.compare.begin(), e.compare.begin() + static_cast<std::ptrdiff_t>(i), p) != 0)
            diag.error(loaded.where(path), fmt::format("{} twice", name_of(p)));
        if (!moves_pages(p)) continue;
        if (e.translation.mode == gpu::translation_mode::instant)
            loaded.report(
                {fmt::format("{} moves pages, and with translation that takes no time none can move", name_of(p)),
                 {{"translation.mode", "timed"}, {path, "one_gpu, dca"}}},
                diag);
        else if (p == memory_policy::migrate && e.migration.when.policy == policy_kind::never)
            loaded.report({fmt::format("{} moves pages as `migration` says, and that says never", name_of(p)),
                           {{"migration.when.policy", "first_touch, access_count, always"}, {path, "dca"}}},
                          diag);
    }
    const auto copies = [&](memory_policy p) {
        const policy_kind when = machine_with(p, e).migration.when.policy;
        return when == policy_kind::first_touch || when == policy_kind::always;
    };
    if (e.migration.read_duplication && std::none_of(e.compare.begin(), e.compare.end(), copies))
        loaded.report(
            {"pages are copied when a GPU first comes upon them, and nothing that is compared moves them then",
             {{"migration.read_duplication", "false"}, {"compare", "with first_touch, always or duplicate"}}},
            diag);
}

void check_machine(const loaded_experiment& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    for (const auto& p : problems_of(static_cast<const machine_spec&>(e))) loaded.report(p, diag);
    // Nothing moves meanwhile, and all is well.
    struct pause {
        const char* path;
        core::sim_time time;
    };
    const std::vector<pause> pauses{{"launch.cost", e.cycle() * e.launch.cost.count},
                                    {"driver.command_latency", e.driver.command_latency},
                                    {"processor.dma.host_latency", e.processor.dma.host_latency},
                                    {"migration.stay", e.migration.stay},
                                    {"migration.message", e.migration.message},
                                    {"migration.table_update", e.migration.table_update},
                                    {"iommu.distance", e.cycle() * e.iommu.distance.count},
                                    {"iommu.walks.latency", e.cycle() * e.iommu.walks.latency.count}};
    for (const pause& quiet : pauses)
        if (e.watchdog < quiet.time * 2)
            loaded.report({fmt::format("a run would stop after {} without movement, less than twice {}, {}",
                                       to_text(e.watchdog), quiet.path, to_text(quiet.time)),
                           {{"watchdog", "at least " + to_text(quiet.time * 2)},
                            {quiet.path, "at most " + to_text(core::sim_time{e.watchdog.ps / 2})}}},
                          diag);
}

void check_members(const loaded_experiment& loaded, config::diagnostics& diag) {
    const auto& e = loaded.value;
    for (std::size_t i = 0; i < e.members.size(); ++i) {
        const auto path = fmt::format("members[{}]", i);
        if (e.members[i] == 0 || e.members[i] > e.gpus)
            diag.error(loaded.where(path), fmt::format("there is no GPU {}", e.members[i]),
                       fmt::format("1 to {}", e.gpus));
        else if (std::count(e.members.begin(), e.members.begin() + static_cast<std::ptrdiff_t>(i), e.members[i]) != 0)
            diag.error(loaded.where(path), fmt::format("GPU {} twice", e.members[i]));
    }
}

void check_also_set(const loaded_experiment& loaded, config::diagnostics& diag) {
    const auto& e = loaded.value;
    std::vector<std::string> names;
    for (const auto& name : e.also) names.push_back(name.text);
    for (std::size_t i = 0; i < e.also_set.size(); ++i) {
        const auto at = loaded.where(fmt::format("also_set[{}]", i));
        const auto p = parameter_of::read(e.also_set[i]);
        if (!p) {
            diag.error(at, fmt::format("{} is no parameter of a workload", config::quoted(e.also_set[i])),
                       "workload.parameter=value, such as pagerank.iterations=2");
            continue;
        }
        if (std::find(names.begin(), names.end(), p->workload) == names.end()) {
            const auto near = config::nearest(p->workload, names);
            diag.error(at, fmt::format("{} is not one of `also`", config::quoted(p->workload)),
                       near.empty() ? fmt::format("also: {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'? also: {}", near, fmt::join(names, ", ")));
            continue;
        }
        workloads::selection w(p->workload, e.workload.size());
        if (!w.parameter(p->path))
            diag.error(at, fmt::format("{} has no parameter {}", p->workload, config::quoted(p->path)),
                       "its parameters: " + w.parameters_text());
        else if (!w.set(p->path, p->value))
            diag.error(at, fmt::format("{} can't be {}", p->path, config::quoted(p->value)),
                       fmt::format("such as {}", *w.parameter(p->path)));
    }
}

void check_workloads(loaded_experiment& loaded, config::diagnostics& diag) {
    auto& e = loaded.value;
    const workloads::selection_place here{[&](const std::string& path) { return loaded.where(path); },
                                          [&](const config::problem& p) { loaded.report(p, diag); },
                                          [&](const std::string& path) { loaded.mark_computed(path); }, e.gpus, "gpus"};
    workloads::check(e.workload, here, diag);
    check_also_set(loaded, diag);
    if (diag.failed()) return;
    const auto all = workloads_of(e);
    for (std::size_t i = 1; i < all.size(); ++i)
        if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const auto& w) { return w.name() == all[i].name(); }))
            diag.error(loaded.where(fmt::format("also[{}]", i - 1)), fmt::format("{} twice", all[i].name()),
                       "each workload once; a sweep runs one with several parameters");
    for (std::size_t i = 1; i < all.size(); ++i)
        for (const auto& p : all[i].problems())
            diag.error(loaded.where(fmt::format("also[{}]", i - 1)), p.message,
                       "it can be the workload, with its parameters, or be given them by also_set");
}

}  // namespace

void check(loaded_experiment& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    check_compare(loaded, diag);
    check_machine(loaded, diag);
    check_members(loaded, diag);
    if (e.window.to <= e.window.from)
        loaded.report({fmt::format("the window ends before it begins: from {} to {}", to_text(e.window.from),
                                   to_text(e.window.to)),
                       {{"window.from", "less than " + to_text(e.window.to)},
                        {"window.to", "more than " + to_text(e.window.from)}}},
                      diag);
    check_workloads(loaded, diag);
}

}  // namespace contraflow::unified_gpu
