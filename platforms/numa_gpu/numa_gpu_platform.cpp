// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_gpu_platform.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "face/growing_file.h"
#include "net/network.h"
#include "numa_gpu/lane_levels.h"
#include "numa_gpu/misfit.h"
#include "workloads/selection_check.h"

namespace contraflow::numa_gpu {
namespace {

std::string machine_text(const gpu::gpu_spec& s) {
    if (s.sockets == 1) return fmt::format("1 socket x {} units", s.units);
    return fmt::format("{} sockets x {} units, lanes {} + {} a link", s.sockets, s.units,
                       s.network.link.lanes.lanes_per_direction, s.network.link.lanes.lanes_per_direction);
}

class study {
public:
    study(const experiment& settings, face::run_context& context, face::growing_file* record)
        : settings_(settings),
          context_(context),
          record_(record),
          report_(context.report()) {}

    int run() {
        for (const auto& w : workloads_of(settings_)) {
            all_.push_back({w.name(), w.parameters_text(), {}});
            for (const auto kind : kinds()) {
                run_one(w, kind);
                if (differs_ || code_ >= face::exit_no_progress) return finish();
            }
        }
        return finish();
    }

private:
    // One socket has no links, and would do the same with all kinds of them.
    bool has_links() const { return settings_.gpu.sockets > 1; }
    std::vector<links> kinds() const {
        return has_links() ? settings_.compare : std::vector<links>{settings_.compare.front()};
    }

    void run_one(const workloads::selection& w, links kind) {
        const bool shown = kind == shown_kind() && !observed_ && context_.waves() != nullptr;
        const bool compared = settings_.lane_controller == cosim::controller_level::lockstep;
        cosim::controller_set controllers(settings_.lane_controller, shown || (compared && context_.out()));
        run_options options;
        options.controllers = controllers.factory();
        options.watchdog = settings_.watchdog;
        options.series_window = settings_.series_window;
        options.lane_faults = settings_.lane_faults;
        options.limit = context_.limit_time();
        face::growing_file* const record = std::exchange(record_, nullptr);
        if (record != nullptr) options.record = &record->stream();
        if (kind == shown_kind() && !observed_) {
            observed_ = true;
            options.trace = context_.trace();
            if (context_.waves() != nullptr) bound_waves(context_, settings_);
            options.waves = context_.waves();
            options.shown_from = settings_.window.from;
            options.shown_to = settings_.window.to;
            options.trace_every = settings_.window.every;
        }
        options.ended = [this, &controllers](core::sim_time at) {
            controllers.finish(at.ps / settings_.gpu.cycle().ps);
        };
        options.keep_going = [this, &controllers] { return !controllers.difference() && context_.keep_going(); };
        options.carry_out = [this](std::function<void()> work) { return context_.carry_out(std::move(work)); };
        options.progress = [this](core::sim_time now, std::uint64_t done) {
            context_.progress(now, done, 0, "requests");
        };
        const auto what = fmt::format("{}, {} links", w.name(), name_of(kind));
        auto& runs = all_.back().runs;
        runs.push_back({kind, run_or_refuse(machine_with(kind, settings_.gpu), w, options)});
        const auto& result = runs.back().result;
        if (options.waves != nullptr) show_lanes(context_, controllers, settings_.gpu.cycle(), result.end);
        if (controllers.difference()) {
            // Nothing that comes after it can be trusted.
            report_.headline.push_back(
                fmt::format("{}: {}", what, tell_difference(context_, controllers, settings_.gpu.cycle())));
            differs_ = true;
        }
        if (record != nullptr) keep_record(*record, result, what);
        judge(runs.back().result, what);
        if (options.trace != nullptr || options.waves != nullptr) tell_what_is_not_shown(runs.back().result, what);
    }

    void keep_record(face::growing_file& file, const run_result& r, const std::string& what) {
        if (r.complete()) return file.publish();
        report_.warnings.push_back(
            fmt::format("{}: --record: no trace was written, because the run did not end", what));
    }

    void tell_what_is_not_shown(const run_result& r, const std::string& what) {
        const auto& w = settings_.window;
        const auto window = fmt::format("window {} to {}", core::to_text(w.from), core::to_text(w.to));
        // Unless the command line says otherwise, the window is also that of the waves.
        const bool waves = context_.waves() != nullptr && !context_.waves_are_bounded();
        const std::string wanted = context_.trace() == nullptr ? "the waves are"
                                   : waves                     ? "waves and trace are"
                                                               : "the trace is";
        if (r.end <= w.from && (waves || context_.trace() != nullptr))
            report_.warnings.push_back(fmt::format("{}: {} empty: the run ended at {}, before {}", what, wanted,
                                                   core::rounded_text(r.end), window));
        else if (context_.trace() != nullptr && r.traced == 0)
            report_.warnings.push_back(fmt::format("{}: the trace is empty: no request began in {}", what, window));
        if (context_.waves() != nullptr && context_.waves_are_bounded() && r.end <= context_.waves()->begin())
            report_.warnings.push_back(fmt::format("{}: the waves are empty: the run ended at {}, and they begin at {}",
                                                   what, core::rounded_text(r.end),
                                                   core::to_text(context_.waves()->begin())));
        if (context_.waves() != nullptr && !has_links())
            report_.warnings.push_back(fmt::format("{}: the waves are empty: a single socket has no links", what));
    }

    static run_result run_or_refuse(const gpu::gpu_spec& machine, const workloads::selection& w,
                                    const run_options& options) {
        try {
            return run_machine(machine, w, options);
        } catch (const memory::memory_full& e) {
            throw face::configuration_error(misfit(e, w));
        } catch (const gpu::cta_too_large& e) {
            throw face::configuration_error(misfit(e, w, machine.unit));
        } catch (const traces::rights_not_kept& e) {
            throw face::configuration_error(misfit(e, w));
        } catch (const std::bad_alloc&) { throw face::configuration_error(too_large_for_the_host(w)); }
    }

    // What waves, trace and charts show.
    links shown_kind() const {
        const auto all = kinds();
        return std::find(all.begin(), all.end(), links::dynamic) != all.end() ? links::dynamic : all.front();
    }

    void judge(run_result& r, const std::string& what) {
        using verdict = observe::watchdog::verdict;
        context_.count_callbacks(r.callbacks);
        if (!settings_.lane_faults.empty()) tell_faults(r, what);
        for (auto& c : r.conservation)
            report_.conservation.push_back({fmt::format("{}: {}", what, c.name), c.unit, c.in, c.out});
        const auto prefix = fmt::format("{}.{}", all_.back().workload, name_of(all_.back().runs.back().kind));
        for (auto& row : r.statistics) {
            row.path = fmt::format("{}.{}", prefix, row.path);
            report_.statistics.push_back(std::move(row));
        }
        r.statistics.clear();
        if (r.verdict == verdict::stalled || r.verdict == verdict::ran_dry) {
            report_.headline.push_back(fmt::format("{}: no progress: {}", what, r.standstill));
            for (const auto& line : r.wait_chain) report_.headline.push_back("  " + line);
            code_ = std::max<int>(code_, face::exit_no_progress);
        } else if (!r.fault.empty()) {
            report_.headline.push_back(fmt::format("{}: FAULT: {}", what, r.fault));
            code_ = std::max<int>(code_, face::exit_checks_failed);
        } else if (differs_) {
            code_ = face::exit_checks_failed;
        } else if (!r.complete()) {
            report_.headline.push_back(r.stopped_while.empty()
                                           ? fmt::format("{}: stopped at {}", what, core::rounded_text(r.end))
                                           : fmt::format("{}: stopped while {}", what, r.stopped_while));
            code_ = std::max<int>(code_, face::exit_stopped);
        } else if (!r.wrong.empty()) {
            report_.headline.push_back(fmt::format("{}: WRONG RESULT: {}", what, r.wrong));
            code_ = std::max<int>(code_, face::exit_checks_failed);
        }
    }

    // What became of lanes that were to fail.
    void tell_faults(const run_result& r, const std::string& what) {
        std::uint64_t failed = 0;
        for (const auto& l : r.links) {
            failed += l.failed_lanes;
            if (l.failed_lanes > 0)
                report_.headline.push_back(fmt::format("{}: {} lane{} of {} failed, {} packet{} sent again", what,
                                                       l.failed_lanes, l.failed_lanes == 1 ? "" : "s", l.name, l.resent,
                                                       l.resent == 1 ? "" : "s"));
        }
        if (failed < settings_.lane_faults.size())
            report_.warnings.push_back(
                fmt::format("{}: {} of {} lane faults came to nothing: the run had ended, or no lane was left", what,
                            settings_.lane_faults.size() - failed, settings_.lane_faults.size()));
    }

    int finish() {
        report_.title = machine_text(settings_.gpu);
        if (has_links())
            report_.levels = {{"lane controller", fmt::format("{}, {}", title_of(settings_.lane_controller),
                                                              settings_.gpu.network.link.lanes.policy)}};
        report_.levels.emplace_back("GPUs", "TLM");
        if (!has_links() && settings_.compare.size() > 1)
            report_.warnings.push_back(fmt::format("a single socket has no links to compare: it ran once, as '{}'",
                                                   name_of(settings_.compare.front())));
        report_.results["workloads"] = nlohmann::ordered_json::array();
        for (const auto& c : all_) {
            summarise(c);
            report_.results["workloads"].push_back(results_of(c));
        }
        if (std::any_of(all_.begin(), all_.end(), [](const auto& c) { return !c.runs.empty(); })) {
            face::section where{"where", "Where requests spend their time", {}};
            if (has_links()) where.items.emplace_back(stall_chart(all_, true, "where-remote"));
            where.items.emplace_back(stall_chart(all_, false, "where-local"));
            report_.sections.push_back(std::move(where));
        }
        return code_;
    }

    void summarise(const comparison& c) {
        if (c.runs.empty()) return;
        face::section section{c.workload, c.workload, {}};
        section.items.emplace_back(comparison_table(c, c.workload));
        const auto* shown = c.find(shown_kind());
        if (shown == nullptr) shown = &c.runs.front();  // of a study that was stopped
        add_links(c, *shown, settings_.lane_faults, section, c.workload);
        report_.sections.push_back(std::move(section));
        for (std::size_t i = 1; i < c.runs.size(); ++i)
            if (c.runs[i].result.complete() && c.runs.front().result.complete())
                report_.headline.push_back(fmt::format("{}: {} links are {:.2f} times as fast as {} ones", c.workload,
                                                       name_of(c.runs[i].kind), c.speed_up(i),
                                                       name_of(c.runs.front().kind)));
        if (const auto waits = where_remote_loads_wait(shown->result); !waits.empty())
            report_.headline.push_back(
                fmt::format("{}: where a remote load waits, {} links: {}", c.workload, name_of(shown->kind), waits));
    }

    const experiment& settings_;
    face::run_context& context_;
    face::growing_file* record_;  // for the first run
    face::report_data& report_;
    std::vector<comparison> all_;
    bool observed_ = false;
    bool differs_ = false;  // RTL and model
    int code_ = face::exit_ok;
};

void check_workloads(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const workloads::selection_place here{[&](const std::string& path) { return loaded.where(path); },
                                          [&](const config::problem& p) { loaded.report(p, diag); },
                                          [&](const std::string& path) { loaded.mark_computed(path); },
                                          loaded.value.gpu.sockets, "gpu.sockets"};
    workloads::check(loaded.value.workload, here, diag);
    for (std::size_t i = 0; i < loaded.value.also.size(); ++i)
        for (const auto& p : workloads::selection(loaded.value.also[i].text, loaded.value.workload.size()).problems())
            diag.error(loaded.where(fmt::format("also[{}]", i)), p.message,
                       "it can be the workload, with its parameters, and none of the others");
}

}  // namespace

void numa_gpu_platform::options(CLI::App& app) {
    app.add_option("--record", record_, "write the accesses of the first run to FILE, for the workload `trace`")
        ->option_text("FILE");
}

void numa_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    if (e.compare.empty()) diag.error(loaded.where("compare"), "there is nothing to compare");
    for (std::size_t i = 0; i < e.compare.size(); ++i) {
        if (std::count(e.compare.begin(), e.compare.begin() + static_cast<std::ptrdiff_t>(i), e.compare[i]) != 0)
            diag.error(loaded.where(fmt::format("compare[{}]", i)), fmt::format("{} twice", name_of(e.compare[i])));
    }
    for (const auto kind : e.compare)
        if (const auto found = problems_of(machine_with(kind, e.gpu)); !found.empty()) {
            for (const auto& p : config::below("gpu", found)) loaded.report(p, diag);
            break;  // the other machines have the same
        }
    check_controllers(loaded, diag);
    const auto names = net::link_names(e.gpu.network, e.gpu.sockets);
    for (std::size_t i = 0; i < e.lane_faults.size(); ++i)
        if (const auto& name = e.lane_faults[i].link; names.empty())
            diag.error(loaded.where(fmt::format("lane_faults[{}].link", i)), "a single socket has no links",
                       "lane_faults=[]");
        else if (std::find(names.begin(), names.end(), name) == names.end()) {
            const auto near = config::nearest(name, names);
            diag.error(loaded.where(fmt::format("lane_faults[{}].link", i)),
                       fmt::format("there is no link {}", config::quoted(name)),
                       near.empty() ? fmt::format("links: {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'? links: {}", near, fmt::join(names, ", ")));
        }
    if (e.window.to <= e.window.from)
        loaded.report({fmt::format("the window ends before it begins: from {} to {}", core::to_text(e.window.from),
                                   core::to_text(e.window.to)),
                       {{"window.from", "less than " + core::to_text(e.window.to)},
                        {"window.to", "more than " + core::to_text(e.window.from)}}},
                      diag);
    if (const auto quiet = e.gpu.cycle() * (2 * e.gpu.dispatcher.launch_cost.count); e.watchdog < quiet)
        loaded.report(
            {fmt::format("a run would stop after {} without movement, less than twice gpu.dispatcher.launch_cost, {}",
                         core::to_text(e.watchdog), core::to_text(quiet)),
             {{"watchdog", "at least " + core::to_text(quiet)},
              {"gpu.dispatcher.launch_cost",
               fmt::format("at most {}", core::to_text(core::cycles{e.watchdog.ps / 2 / e.gpu.cycle().ps}))},
              {"gpu.clock", "one with which the launch cost is at most half of watchdog"}}},
            diag);
    check_workloads(loaded, diag);
}

int numa_gpu_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    std::unique_ptr<face::growing_file> record;
    if (record_) record = std::make_unique<face::growing_file>("--record", *record_);
    const int code = study(loaded.value, context, record.get()).run();
    // Work that goes on in another thread may still write to it.
    if (record && context.left_work_behind()) record.release()->discard();
    return code;
}

}  // namespace contraflow::numa_gpu
