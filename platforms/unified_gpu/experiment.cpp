// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/experiment.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace contraflow::unified_gpu {

void experiment::describe(config::fields<experiment>& f) {
    host::unified_machine::spec::describe(f);
    f("execution", &experiment::execution)
        .text("one: every kernel on the first member; split: the host cuts every kernel into a launch for each member; "
              "unified: one launch on a GPU that acts for all members");
    f("memory", &experiment::memory)
        .text("discrete: an array in a run of pages on each member, with copies from and to the host; unified: its "
              "pages are interleaved over all members, and the host reads and writes in place");
    f("members", &experiment::members).text("GPUs that the program uses, counted from 1; none: all");
    describe_programs(f,
                      "a run each. one_gpu: one GPU with all pages; dca: pages stay, GPUs reach across; migrate: pages "
                      "move as `migration` says; first_touch, access_count, always: the same with this policy; "
                      "duplicate: as always, but pages that are only read are copied");
    describe_run(f, "window of the report's curves over time",
                 "window of --trace and --wave, of the last run that is compared");
}

std::vector<unsigned> members_of(const experiment& e) {
    if (!e.members.empty()) return e.members;
    std::vector<unsigned> all(e.gpus.gpu.sockets);
    std::iota(all.begin(), all.end(), 1u);
    return all;
}

namespace {

using loaded_experiment = config::loaded<experiment>;

void check_policies(const loaded_experiment& loaded, config::diagnostics& diag) {
    using host::migration::policy_kind;
    const auto& e = loaded.value;
    for (std::size_t i = 0; i < e.compare.size(); ++i) {
        const memory_policy p = e.compare[i];
        const auto path = fmt::format("compare[{}]", i);
        if (!moves_pages(p)) continue;
        if (e.gpus.translation.mode == gpu::translation_mode::instant)
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
    for (const auto& p : problems_of(static_cast<const host::unified_machine::spec&>(e))) loaded.report(p, diag);
}

// Nothing moves during that time although there is no error.
std::vector<study::pause> pauses_of(const experiment& e) {
    const auto cycles = [&e](const char* path, core::cycles n) {
        return study::pause{path, e.cycle() * n.count, e.cycle(), "gpu.clock"};
    };
    return {cycles("launch.cost", e.gpus.gpu.dispatcher.launch_cost),
            {"driver.command_latency", e.driver.command_latency},
            {"processor.dma.host_latency", e.gpus.processor.dma.host_latency},
            {"host_port.processing", e.gpus.host.processing},
            {"host_port.read_latency", e.gpus.host.read_latency},
            {"migration.stay", e.migration.stay},
            {"migration.message", e.migration.message},
            {"migration.table_update", e.migration.table_update},
            cycles("iommu.distance", e.iommu.distance),
            cycles("iommu.walks.latency", e.iommu.walks.latency)};
}

void check_members(const loaded_experiment& loaded, config::diagnostics& diag) {
    const auto& e = loaded.value;
    for (std::size_t i = 0; i < e.members.size(); ++i) {
        const auto path = fmt::format("members[{}]", i);
        if (e.members[i] == 0 || e.members[i] > e.gpus.gpu.sockets)
            diag.error(loaded.where(path), fmt::format("there is no GPU {}", e.members[i]),
                       fmt::format("1 to {}", e.gpus.gpu.sockets));
        else if (std::count(e.members.begin(), e.members.begin() + static_cast<std::ptrdiff_t>(i), e.members[i]) != 0)
            diag.error(loaded.where(path), fmt::format("GPU {} twice", e.members[i]));
    }
}

}  // namespace

void check(loaded_experiment& loaded, config::diagnostics& diag) {
    experiment& e = loaded.value;
    const auto here = study::place_of(loaded, diag);
    study::check_compare(e, here, diag);
    check_policies(loaded, diag);
    check_machine(loaded, diag);
    study::check_pauses(e.watchdog, pauses_of(e), here);
    check_members(loaded, diag);
    study::check_window(e.window, here);
    study::check_programs(e, e.gpus.gpu.sockets, "gpus", here, diag);
}

}  // namespace contraflow::unified_gpu
