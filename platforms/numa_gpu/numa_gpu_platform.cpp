// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_gpu_platform.h"

#include <algorithm>

#include <fmt/format.h>

#include "lanes/lane_levels.h"
#include "net/network.h"
#include "numa_gpu/numa_report.h"
#include "numa_gpu/start.h"

namespace contraflow::numa_gpu {
namespace {

std::string machine_text(const gpu::gpu_spec& s) {
    if (s.sockets == 1) return fmt::format("1 socket x {} units", s.units);
    return fmt::format("{} sockets x {} units, {}, lanes {} + {} a link", s.sockets, s.units,
                       gpu::network_name(s.network.kind()), s.network.link.lanes.lanes_per_direction,
                       s.network.link.lanes.lanes_per_direction);
}

// One socket has no links, so all kinds of links give the same run.
std::vector<links> kinds_of(const experiment& e) {
    return e.gpu.sockets > 1 ? e.compare : std::vector<links>{e.compare.front()};
}

class links_study final : public study::program_study<links, run_result> {
public:
    links_study(const experiment& settings, face::run_context& context, face::growing_file* record)
        : program_study(settings, settings.gpu.sockets, context, record),
          settings_(settings) {}

private:
    bool has_links() const { return settings_.gpu.sockets > 1; }
    std::vector<links> kinds() const override { return kinds_of(settings_); }
    links watched_kind() const override {
        const auto all = kinds();
        return std::find(all.begin(), all.end(), links::dynamic) != all.end() ? links::dynamic : all.front();
    }
    std::string kind_text(links kind) const override { return fmt::format("{} links", name_of(kind)); }
    void bound_waves() override {
        auto& waves = *context().waves();
        if (!context().waves_are_bounded())
            waves.keep(settings_.window.from, settings_.window.to);
        else if (!context().wave_event().empty())
            lanes::keep_around_turn(waves, context().wave_event(), settings_.gpu.network.link.lanes,
                                    settings_.gpu.cycle());
    }

    run_result run_on(links kind, const study::run_request& asked) override {
        const bool compared = settings_.lane_controller == cosim::controller_level::lockstep;
        cosim::controller_set controllers(settings_.lane_controller,
                                          asked.seen.waves != nullptr || (compared && context().out()));
        const auto cycle = settings_.gpu.cycle();
        run_options options{asked.limits, asked.seen, settings_.lane_faults, controllers.factory(), {}};
        options.ended = [&](core::sim_time at) { controllers.finish(at.ps / cycle.ps); };
        options.limits.keep_going = [&] { return !controllers.difference() && asked.limits.keep_going(); };
        auto result = run_machine(machine_with(kind, settings_.gpu), asked.workload, options);
        if (asked.seen.waves != nullptr) lanes::show_lanes(context(), controllers, cycle, result.end);
        if (controllers.difference()) result.difference = lanes::tell_difference(context(), controllers, cycle);
        return result;
    }

    std::optional<config::problem> capacity_problem(const std::exception& e, links,
                                                    const workloads::selection& w) const override {
        return study::capacity_problem(e, w, settings_.gpu);
    }

    void tell(const compared_run& run, const std::string& what) override {
        lanes::tell_faults(settings_.lane_faults, run.result.links, what, report());
        if (context().waves() != nullptr && run.kind == watched_kind() && !has_links())
            report().warnings.push_back(fmt::format("{}: the waves are empty: a single socket has no links", what));
    }

    void begin_report() override {
        report().title = machine_text(settings_.gpu);
        if (has_links())
            report().levels = {{"lane controller", fmt::format("{}, {}", title_of(settings_.lane_controller),
                                                               settings_.gpu.network.link.lanes.policy)}};
        report().levels.emplace_back("GPUs", "TLM");
        if (!has_links() && settings_.compare.size() > 1)
            report().warnings.push_back(fmt::format("a single socket has no links to compare: it ran once, as '{}'",
                                                    name_of(settings_.compare.front())));
    }

    void add_comparison(const comparison& c) override {
        face::section section{c.workload, c.workload, {}};
        section.items.emplace_back(comparison_table(c, c.workload));
        const auto* shown = c.find(watched_kind());
        if (shown == nullptr) shown = &c.runs.front();  // if the study was stopped
        add_links(c, *shown, settings_.lane_faults, section, c.workload);
        report().sections.push_back(std::move(section));
        const auto& first = c.runs.front();
        if (c.runs.size() == 1 && first.result.complete())
            report().headline.push_back(
                fmt::format("{}: {} with {} links", c.workload, core::to_text(first.result.end), name_of(first.kind)));
        for (std::size_t i = 1; i < c.runs.size(); ++i)
            if (c.runs[i].result.complete() && first.result.complete())
                report().headline.push_back(
                    fmt::format("{}: {} links are {:.2f} times as fast as {} links{}{}", c.workload,
                                name_of(c.runs[i].kind), c.speed_up(first, c.runs[i]), name_of(first.kind),
                                why_none_turned(c.runs[i], settings_.gpu.network.link.lanes),
                                settings_.lane_faults.empty()
                                    ? what_turning_could_bring(c, c.runs[i], settings_.gpu.network.link.lanes)
                                    : std::string()));
        if (const auto waits = where_remote_loads_wait(shown->result); !waits.empty())
            report().headline.push_back(fmt::format("{}: with {} links a remote load spends its time in: {}",
                                                    c.workload, name_of(shown->kind), waits));
    }

    void end_report() override {
        const auto& all = comparisons();
        if (std::all_of(all.begin(), all.end(), [](const auto& c) { return c.runs.empty(); })) return;
        face::section where{"where", "Where requests spend their time", {}};
        if (has_links()) where.items.emplace_back(stall_chart(all, true, "where-remote"));
        where.items.emplace_back(stall_chart(all, false, "where-local"));
        report().sections.push_back(std::move(where));
    }

    nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run) const override {
        return numa_gpu::results_of_run(c, run, settings_.gpu.network.link.lanes);
    }

    const experiment& settings_;
};

// The RTL must support the links of every machine.
void check_controllers(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    if (e.gpu.sockets == 1) return;
    for (const auto kind : e.compare) {
        const auto problem = cosim::problem_of(e.lane_controller, machine_with(kind, e.gpu).network.link.lanes);
        if (!problem) continue;
        auto seen = config::below("network.link.lanes", {*problem}).front();
        if (kind == links::doubled)
            seen = {problem->message + ", for double links", {{"compare", "[static, dynamic]"}}};
        for (auto& s : seen.suspects) s.allowed += "; or lane_controller: tlm";
        seen.suspects.push_back({"lane_controller", "tlm"});
        loaded.report(seen, diag);
        return;  // the other machines have the same
    }
}

}  // namespace

void numa_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    experiment& e = loaded.value;
    const auto here = study::place_of(loaded, diag);
    check_compare(e, here, diag);
    bool can_be_built = true;
    for (const auto kind : e.compare)
        if (const auto found = problems_of(machine_with(kind, e.gpu)); !found.empty()) {
            for (const auto& p : found) loaded.report(p, diag);
            can_be_built = false;
            break;  // the other machines have the same
        }
    check_controllers(loaded, diag);
    if (can_be_built) lanes::check(e.lane_faults, net::link_names(e.gpu.network, e.gpu.sockets), here.where, diag);
    check_window(e.window, here);
    const auto launch = e.gpu.cycle() * e.gpu.dispatcher.launch_cost.count;
    check_pauses(e.watchdog, {{"launch.cost", launch, e.gpu.cycle(), "gpu.clock"}}, here);
    check_programs(e, e.gpu.sockets, "gpus", here, diag);
}

nlohmann::ordered_json numa_gpu_platform::results_form(const config::loaded<experiment>& loaded) const {
    compared_run ended;
    ended.result.verdict = observe::watchdog::verdict::finished;
    ended.result.end = core::sim_time::from_us(1);
    return study::results_form<comparison>(workloads_of(loaded.value, loaded.value.gpu.sockets), kinds_of(loaded.value),
                                           ended, [&](const auto& c, const auto& run) {
                                               return numa_gpu::results_of_run(c, run,
                                                                               loaded.value.gpu.network.link.lanes);
                                           });
}

int numa_gpu_platform::run_study(const experiment& settings, face::run_context& context, face::growing_file* record) {
    return links_study(settings, context, record).run();
}

int start(int argc, char** argv) {
    numa_gpu_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::numa_gpu
