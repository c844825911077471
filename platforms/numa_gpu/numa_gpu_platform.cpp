// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_gpu_platform.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::numa_gpu {
namespace {

std::string machine_text(const gpu::gpu_spec& s) {
    return fmt::format("{} sockets x {} units, lanes {} + {} a link", s.sockets, s.units,
                       s.network.link.lanes.lanes_per_direction, s.network.link.lanes.lanes_per_direction);
}

class study {
public:
    study(const experiment& settings, face::run_context& context)
        : settings_(settings),
          context_(context),
          report_(context.report()) {}

    int run() {
        for (const auto& w : workloads_of(settings_)) {
            all_.push_back({w.name(), w.parameters_text(), {}});
            for (const auto kind : settings_.compare) {
                run_one(w, kind);
                if (code_ >= face::exit_no_progress) return finish();
            }
        }
        return finish();
    }

private:
    void run_one(const workloads::selection& w, links kind) {
        run_options options;
        options.watchdog = settings_.watchdog;
        options.series_window = settings_.series_window;
        options.lane_faults = settings_.lane_faults;
        options.limit = context_.limit_time();
        if (kind == links::dynamic && !observed_) {
            observed_ = true;
            options.trace = context_.trace();
            options.waves = context_.waves();
            options.shown_from = settings_.window.from;
            options.shown_to = settings_.window.to;
            options.trace_every = settings_.window.every;
        }
        options.keep_going = [this] { return context_.keep_going(); };
        options.progress = [this](core::sim_time now, std::uint64_t done) {
            context_.progress(now, done, 0, "requests");
        };
        const auto what = fmt::format("{}, {} links", w.name(), name_of(kind));
        auto& runs = all_.back().runs;
        runs.push_back({kind, run_machine(machine_with(kind, settings_.gpu), w, options)});
        judge(runs.back().result, what);
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
            report_.headline.push_back(fmt::format("{}: no progress for {} before {}", what,
                                                   core::rounded_text(settings_.watchdog), core::rounded_text(r.end)));
            for (const auto& line : r.wait_chain) report_.headline.push_back("  " + line);
            code_ = std::max<int>(code_, face::exit_no_progress);
        } else if (!r.complete()) {
            report_.headline.push_back(fmt::format("{}: stopped at {}", what, core::rounded_text(r.end)));
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
        report_.levels = {{"lane controller", fmt::format("TLM, {}", settings_.gpu.network.link.lanes.policy)},
                          {"GPUs", "TLM"}};
        report_.results["workloads"] = nlohmann::ordered_json::array();
        for (const auto& c : all_) {
            summarise(c);
            report_.results["workloads"].push_back(results_of(c));
        }
        if (std::any_of(all_.begin(), all_.end(), [](const auto& c) { return !c.runs.empty(); })) {
            face::section where{"where", "Where requests spend their time", {}};
            where.items.emplace_back(stall_chart(all_, true, "where-remote"));
            where.items.emplace_back(stall_chart(all_, false, "where-local"));
            report_.sections.push_back(std::move(where));
        }
        return code_;
    }

    void summarise(const comparison& c) {
        if (c.runs.empty()) return;
        face::section section{c.workload, c.workload, {}};
        section.items.emplace_back(comparison_table(c, c.workload));
        const auto* shown = c.find(links::dynamic);
        if (shown == nullptr) shown = &c.runs.front();
        add_links(c, *shown, section, c.workload);
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
    face::report_data& report_;
    std::vector<comparison> all_;
    bool observed_ = false;
    int code_ = face::exit_ok;
};

}  // namespace

void numa_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    if (e.compare.empty()) diag.error(loaded.where("compare"), "there is nothing to compare");
    for (std::size_t i = 0; i < e.compare.size(); ++i) {
        if (std::count(e.compare.begin(), e.compare.begin() + static_cast<std::ptrdiff_t>(i), e.compare[i]) != 0)
            diag.error(loaded.where(fmt::format("compare[{}]", i)), fmt::format("{} twice", name_of(e.compare[i])));
        if (const auto wrong = problem_of(machine_with(e.compare[i], e.gpu)); !wrong.empty()) {
            diag.error(loaded.where("gpu"), fmt::format("with {} links: {}", name_of(e.compare[i]), wrong));
            break;
        }
    }
    const auto names = gpu::network::link_names(e.gpu.network.topology, e.gpu.sockets);
    for (std::size_t i = 0; i < e.lane_faults.size(); ++i)
        if (const auto& name = e.lane_faults[i].link; std::find(names.begin(), names.end(), name) == names.end()) {
            const auto near = config::nearest(name, names);
            diag.error(loaded.where(fmt::format("lane_faults[{}].link", i)),
                       fmt::format("there is no link {}", config::quoted(name)),
                       near.empty() ? fmt::format("links: {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'? links: {}", near, fmt::join(names, ", ")));
        }
    if (e.window.to <= e.window.from) diag.error(loaded.where("window.to"), "the window ends before it begins");
    const auto all = workloads_of(e);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto sockets = all[i].parameter("sockets"); sockets && *sockets != std::to_string(e.gpu.sockets))
            diag.error(loaded.where(i == 0 ? "workload.sockets" : fmt::format("also[{}]", i - 1)),
                       fmt::format("{} is laid out for {} sockets, and the machine has {}", all[i].name(), *sockets,
                                   e.gpu.sockets));
}

int numa_gpu_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    return study(loaded.value, context).run();
}

}  // namespace contraflow::numa_gpu
