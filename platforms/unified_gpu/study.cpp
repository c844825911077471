// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/study.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "face/errors.h"
#include "unified_gpu/misfit.h"

namespace contraflow::unified_gpu {
namespace {

run_result run_or_refuse(const machine_spec& machine, const workloads::selection& w, const run_options& options) {
    try {
        return run_machine(machine, w, options);
    } catch (const host::gpu_memory_full& e) {
        throw face::configuration_error(misfit(e, w, machine));
    } catch (const memory::table_full& e) {
        throw face::configuration_error(misfit(e, w));
    } catch (const gpu::cta_too_large& e) {
        throw face::configuration_error(misfit(e, w, machine));
    } catch (const traces::rights_not_kept& e) {
        throw face::configuration_error(misfit(e, w));
    } catch (const std::bad_alloc&) { throw face::configuration_error(too_large_for_the_host(w)); }
}

std::string machine_text(const experiment& e) {
    const std::size_t working = members_of(e).size();
    const std::string gpus =
        e.gpus == 1 ? fmt::format("1 GPU x {} units", e.gpu.units)
                    : fmt::format("{}{} GPUs x {} units, {}", working < e.gpus ? fmt::format("{} of ", working) : "",
                                  e.gpus, e.gpu.units, network_name(e.network.kind));
    const auto execution = e.execution == host::execution_model::one     ? "on one of them"
                           : e.execution == host::execution_model::split ? "kernels cut by the host"
                                                                         : "as one GPU";
    return fmt::format("{}, {}, {} memory, pages of {}", gpus, execution,
                       e.memory == host::memory_model::unified ? "unified" : "discrete", to_text(e.page_size));
}

}  // namespace

study::study(const experiment& settings, face::run_context& context, face::growing_file* record)
    : settings_(settings),
      context_(context),
      record_(record),
      report_(context.report()) {}

int study::run() {
    for (const auto& w : workloads_of(settings_)) {
        all_.push_back({w.name(), w.parameters_text(), {}});
        for (const auto policy : settings_.compare) {
            run_one(w, policy);
            if (code_ >= face::exit_no_progress) return finish();
        }
    }
    return finish();
}

void study::run_one(const workloads::selection& w, memory_policy policy) {
    run_options options;
    options.program.execution = settings_.execution;
    options.program.memory = settings_.memory;
    options.program.gpus = members_of(settings_);
    if (policy == memory_policy::one_gpu) {
        options.program.execution = host::execution_model::one;
        options.program.gpus = {1};
    }
    options.watchdog = settings_.watchdog;
    options.series_window = settings_.series_window;
    options.limit = context_.limit_time();
    face::growing_file* const record = std::exchange(record_, nullptr);
    if (record != nullptr) options.record = &record->stream();
    if (policy == settings_.compare.back() && !std::exchange(traced_, true)) {
        options.trace = context_.trace();
        options.shown = settings_.window;
    }
    options.keep_going = [this] { return context_.keep_going(); };
    options.carry_out = [this](std::function<void()> work) { return context_.carry_out(std::move(work)); };
    options.progress = [this](core::sim_time now, std::uint64_t done) { context_.progress(now, done, 0, "requests"); };
    const auto what = fmt::format("{}, {}", w.name(), name_of(policy));
    auto& runs = all_.back().runs;
    runs.push_back({policy, run_or_refuse(machine_with(policy, settings_), w, options)});
    if (record != nullptr) keep_record(*record, runs.back().result, what);
    judge(runs.back().result, what);
    if (options.trace != nullptr) tell_what_is_not_shown(runs.back().result, what);
}

void study::keep_record(face::growing_file& file, const run_result& r, const std::string& what) {
    if (r.complete()) return file.publish();
    report_.warnings.push_back(fmt::format("{}: --record: no trace was written, because the run did not end", what));
}

void study::tell_what_is_not_shown(const run_result& r, const std::string& what) {
    const auto& w = settings_.window;
    if (r.traced == 0)
        report_.warnings.push_back(fmt::format("{}: the trace shows no request: none began in window {} to {}", what,
                                               to_text(w.from), to_text(w.to)));
}

void study::judge(run_result& r, const std::string& what) {
    using verdict = observe::watchdog::verdict;
    context_.count_callbacks(r.callbacks);
    for (auto& c : r.conservation)
        report_.conservation.push_back({fmt::format("{}: {}", what, c.name), c.unit, c.in, c.out});
    const auto& run = all_.back().runs.back();
    for (auto& row : r.statistics) {
        row.path = fmt::format("{}.{}.{}", all_.back().workload, name_of(run.policy), row.path);
        report_.statistics.push_back(std::move(row));
    }
    r.statistics.clear();
    if (!r.fault.empty()) {
        report_.headline.push_back(fmt::format("{}: FAULT at {}: {}", what, core::rounded_text(r.fault_at), r.fault));
        code_ = std::max<int>(code_, face::exit_checks_failed);
    }
    if (r.stuck()) {
        report_.headline.push_back(fmt::format("{}: no progress: {}", what, r.standstill));
        for (const auto& line : r.wait_chain) report_.headline.push_back("  " + line);
        code_ = std::max<int>(code_, face::exit_no_progress);
    } else if (r.verdict != verdict::finished || !r.stopped_while.empty()) {
        report_.headline.push_back(r.stopped_while.empty()
                                       ? fmt::format("{}: stopped at {}", what, core::rounded_text(r.end))
                                       : fmt::format("{}: stopped while {}", what, r.stopped_while));
        code_ = std::max<int>(code_, face::exit_stopped);
    } else if (!r.wrong.empty()) {
        report_.headline.push_back(fmt::format("{}: WRONG RESULT: {}", what, r.wrong));
        code_ = std::max<int>(code_, face::exit_checks_failed);
    }
}

int study::finish() {
    report_.title = machine_text(settings_);
    report_.levels = {{"GPUs", "TLM"},
                      {"translation", settings_.translation.mode == gpu::translation_mode::timed ? "TLM" : "instant"},
                      {"network", settings_.network.kind == network_kind::pcie ? "TLM, credit-accurate PCIe" : "TLM"}};
    report_.results["workloads"] = nlohmann::ordered_json::array();
    for (const auto& c : all_) {
        summarise(c);
        report_.results["workloads"].push_back(results_of(c));
    }
    return code_;
}

void study::summarise(const comparison& c) {
    if (c.runs.empty()) return;
    for (auto& line : headline_of(c, &c == &all_.front())) report_.headline.push_back(std::move(line));
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
    report_.sections.push_back(std::move(section));
}

}  // namespace contraflow::unified_gpu
