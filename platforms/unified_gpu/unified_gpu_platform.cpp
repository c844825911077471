// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/unified_gpu_platform.h"

#include <algorithm>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "face/command_line/number_list.h"
#include "remote_memory/capacity_error.h"
#include "remote_memory/comparison_report.h"
#include "remote_memory/headline.h"
#include "remote_memory/latency_report.h"
#include "remote_memory/machine_run.h"
#include "remote_memory/migration_report.h"
#include "remote_memory/run_summary.h"
#include "remote_memory/traffic_report.h"
#include "unified_gpu/start.h"

namespace contraflow::unified_gpu {
namespace {

std::string machine_text(const experiment& e) {
    const std::size_t working = members_of(e).size();
    const auto& g = e.gpus.gpu;
    const std::string gpus = g.sockets == 1 ? fmt::format("1 GPU x {} units", g.units)
                                            : fmt::format("{}{} GPUs x {} units, {}",
                                                          working < g.sockets ? fmt::format("{} of ", working) : "",
                                                          g.sockets, g.units, network_name(g.network.kind()));
    const auto execution = e.execution == host::execution_model::one     ? "on one of them"
                           : e.execution == host::execution_model::split ? "kernels cut by the host"
                                                                         : "as one GPU";
    return fmt::format("{}, {}, {} memory, pages of {}", gpus, execution,
                       e.memory == host::memory_model::unified ? "unified" : "discrete", to_text(g.pages.page_size));
}

class policy_study final : public study::program_study<memory_policy, remote_memory::run_result> {
public:
    policy_study(const experiment& settings, face::run_context& context, face::growing_file* record)
        : program_study(settings, settings.gpus.gpu.sockets, context, record),
          settings_(settings) {}

private:
    remote_memory::run_result run_on(memory_policy policy, const study::run_request& asked) override {
        remote_memory::run_options options{
            {settings_.execution, settings_.memory, members_of(settings_)}, asked.limits, asked.seen};
        if (policy == memory_policy::one_gpu) {
            options.program.execution = host::execution_model::one;
            options.program.gpus = {1};
        }
        return remote_memory::run_machine(machine_with(policy, settings_), asked.workload, options);
    }
    std::optional<config::problem> capacity_problem(const std::exception& e, memory_policy policy,
                                                    const workloads::selection& w) const override {
        return remote_memory::capacity_problem(e, w, machine_with(policy, settings_));
    }

    void bound_waves() override {
        if (!context().waves_are_bounded()) context().waves()->keep(settings_.window.from, settings_.window.to);
    }

    void begin_report() override {
        report().title = machine_text(settings_);
        report().levels = {
            {"GPUs", "TLM"},
            {"translation", settings_.gpus.translation.mode == gpu::translation_mode::timed ? "TLM" : "instant"},
            {"network", settings_.gpus.gpu.network.in_pcie_tree ? "TLM, credit-accurate PCIe" : "TLM"}};
    }

    void add_comparison(const remote_memory::comparison& c) override {
        for (auto& line : headline_of(c, &c == &comparisons().front())) report().headline.push_back(std::move(line));
        face::section section{c.workload, c.workload, {}};
        section.items.emplace_back(comparison_table(c));
        section.items.emplace_back(levels_table(c));
        for (auto& table : {migration_table(c), stayed_table(c)})
            if (!table.rows.empty()) section.items.emplace_back(table);
        add_latency(c, section);
        add_pages(c, section);
        add_moves(c, section);
        add_traffic(c, section);
        add_path(c, section);
        report().sections.push_back(std::move(section));
    }

    nlohmann::ordered_json results_of_run(const remote_memory::comparison& c,
                                          const remote_memory::compared_run& run) const override {
        return remote_memory::results_of_run(c, run);
    }

    const experiment& settings_;
};

}  // namespace

void unified_gpu_platform::options(CLI::App& app) {
    study_platform::options(app);
    auto* const gpus = app.add_option("--gpus", gpus_,
                                      "as MGPUSim's: the host cuts kernels over these GPUs; memory is discrete unless "
                                      "--unified-mem is given")
                           ->option_text("1,2,...");
    app.add_option("--unified-gpus", unified_,
                   "as MGPUSim's: kernels run on one GPU that stands for these; memory is discrete unless "
                   "--unified-mem is given")
        ->option_text("1,2,...")
        ->excludes(gpus);
    app.add_flag("--unified-mem", unified_memory_, "memory: unified");
}

void unified_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    auto& e = loaded.value;
    if (gpus_ || unified_) {
        for (const char* key : {"members", "execution", "memory"})
            if (loaded.where(key).file == "--set")
                diag.error(loaded.where(key),
                           fmt::format("{} says what {} is", unified_ ? "--unified-gpus" : "--gpus", key),
                           "one of the two");
        const unsigned gpus = e.gpus.gpu.sockets;
        e.members = unified_ ? face::numbers_in("--unified-gpus", *unified_, "GPU", 1, gpus)
                             : face::numbers_in("--gpus", *gpus_, "GPU", 1, gpus);
        e.execution = unified_                ? host::execution_model::unified
                      : e.members.size() == 1 ? host::execution_model::one
                                              : host::execution_model::split;
        e.memory = host::memory_model::discrete;
        for (const char* key : {"members", "execution", "memory"}) loaded.mark_computed(key);
    }
    if (unified_memory_) {
        e.memory = host::memory_model::unified;
        loaded.mark_computed("memory");
    }
    check(loaded, diag);
}

nlohmann::ordered_json unified_gpu_platform::results_form(const config::loaded<experiment>& loaded) const {
    remote_memory::compared_run ended;
    ended.result.verdict = observe::watchdog::verdict::finished;
    ended.result.end = core::sim_time::from_us(1);
    ended.result.levels = remote_memory::empty_levels(loaded.value.gpus.gpu.shader_array.present());
    return study::results_form<remote_memory::comparison>(
        workloads_of(loaded.value, loaded.value.gpus.gpu.sockets), loaded.value.compare, ended,
        [](const auto& c, const auto& run) { return remote_memory::results_of_run(c, run); });
}

int unified_gpu_platform::run_study(const experiment& settings, face::run_context& context,
                                    face::growing_file* record) {
    return policy_study(settings, context, record).run();
}

int start(int argc, char** argv) {
    unified_gpu_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::unified_gpu
