// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/torus_nic_platform.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/text/diagnostics.h"
#include "face/command_line/number_list.h"
#include "firmware_report/difference_waves.h"
#include "firmware_report/packet_case.h"
#include "torus_nic/messages/message_report.h"
#include "torus_nic/offered_load/offered_load_report.h"
#include "torus_nic/programs/program_report.h"
#include "torus_nic/results_form.h"
#include "torus_nic/start.h"

namespace contraflow::torus_nic {
namespace {

void check_faults(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    const auto names = net::torus_link_names(e.torus);
    for (std::size_t i = 0; i < e.lost_credits.size(); ++i) {
        const lost_credit& lost = e.lost_credits[i];
        const std::string path = fmt::format("lost_credits[{}]", i);
        if (std::find(names.begin(), names.end(), lost.link) == names.end()) {
            loaded.report(
                {fmt::format("there is no link {}{}", config::quoted(lost.link), config::meant_aside(lost.link, names)),
                 {{path + ".link", "a node and a direction, as in node0.x+"}}},
                diag);
        }
        if (lost.channel >= e.torus.virtual_channels)
            loaded.report({fmt::format("channel {}: a link has {}", lost.channel, e.torus.virtual_channels),
                           {{path + ".channel", fmt::format("0 to {}", e.torus.virtual_channels - 1)}}},
                          diag);
    }
}

void check_traffic(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    for (config::problem& p : net::problems_of(e.traffic, e.torus.nodes)) {
        for (auto& s : p.suspects) s.path = (s.path == "nodes" ? "torus." : "traffic.") + s.path;
        loaded.report(p, diag);
    }
    if (e.traffic.packet_words > e.torus.buffer)
        loaded.report(
            {fmt::format("a packet of {} words never fits a buffer of {}", e.traffic.packet_words, e.torus.buffer),
             {{"traffic.packet_words", fmt::format("at most {}", e.torus.buffer)},
              {"torus.buffer", fmt::format("at least {}", e.traffic.packet_words)}}},
            diag);
    if (e.loads.empty()) loaded.report({"there is no load to run", {{"loads", "one number or more"}}}, diag);
    check_faults(loaded, diag);
}

// Firmware that looks a packet up moves nothing meanwhile: the watchdog must wait longer. An endless loop stays a hang,
// because code that executes is no progress.
void check_watchdog(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    // More than any routine needs for the few buffers that a run registers: so many instructions and reads of tables.
    constexpr core::cycles instructions{1000};
    constexpr std::uint64_t reads = 64;
    const auto& core = e.receive.core;
    const core::sim_time routine = core.core.clock.time_of(instructions) + core.table_latency * reads;
    if (!has_core(e.receive.chosen()) || e.watchdog >= routine * 2) return;
    loaded.report({fmt::format("a routine of firmware may take {}: more than half of watchdog, {}",
                               core::to_text(routine), core::to_text(e.watchdog)),
                   {{"watchdog", "at least " + core::to_text(routine * 2)},
                    {"receive.core.core.clock", "a faster one"},
                    {"receive.core.table_latency", "a shorter one"}}},
                  diag);
}

// The RTL has fixed sizes.
void check_receive(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    for (const auto& p : config::below("receive.core.core", problems_of(e.receive.core.core))) loaded.report(p, diag);
    const auto wrong = problem_of_choice(e.receive.chosen(), [&](std::string_view key) {
        return loaded.origin(fmt::format("receive.{}", key)) == "set";
    });
    if (wrong) return loaded.report(config::below("receive", {*wrong}).front(), diag);
    const auto problem = problem_of(e.receive.chosen(), e.node.receive);
    if (!problem) return;
    auto seen = config::below("node.receive", {*problem}).front();
    seen.suspects.push_back({"receive.level", "firmware or tlm"});
    loaded.report(seen, diag);
}

void check_messages(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    const auto wrong = problems_of(e.messages, e.node, e.torus);
    for (const auto& p : wrong) loaded.report(p, diag);
    if (!wrong.empty() || !variants_of(e).empty()) return;
    loaded.report({"no message has any of these routes in this experiment",
                   {{"messages.routes", "direct, or for latency and bandwidth reference"},
                    {"messages.pairs", "a pair with a GPU"}}},
                  diag);
}

// A run each of some variants, until one fails.
template <class Result, class Variant, class Run, class Name>
int run_each(const std::vector<Variant>& variants, std::vector<Result>& runs, face::run_context& context, Run run,
             Name name) {
    for (const Variant& v : variants) {
        runs.push_back(run(v));
        if constexpr (std::is_base_of_v<node_result, Result>) tell_faults(context.report(), name(v), runs.back());
        if (const int code = runner::judge(runs.back(), name(v), context); code != face::exit_ok) return code;
    }
    return face::exit_ok;
}

int run_loads(const experiment& e, face::run_context& context) {
    const auto limits = runner::limits_of(context, e.watchdog, "packets");
    std::vector<load_result> runs;
    const int code = run_each(
        e.loads, runs, context,
        // Runs begin at the same moment: a trace has one of them.
        [&](double load) { return run_load(e, load, limits, runs.empty() ? context.trace() : nullptr); },
        [](double load) { return fmt::format("load {:g}", load); });
    fill(context.report(), e, runs);
    // The statistics of the last load: each link has a few.
    if (!runs.empty())
        runner::add_statistics(runs.back(), fmt::format("load_{:g}", runs.back().load), context.report());
    return code;
}

// Only the first run of an experiment is seen: others begin at the same moment. Its end is that of the debugger.
class first_run {
public:
    first_run(const experiment& e, face::run_context& context, run_view view, std::unique_ptr<iss::gdb_server> debugger)
        : experiment_(e),
          context_(context),
          view_(std::move(view)),
          debugger_(std::move(debugger)) {
        view_.debugger = debugger_.get();
    }
    template <class Run> auto operator()(const std::string& name, Run run) {
        firmware_report::difference_waves waves(experiment_.receive.chosen(), context_);
        if (waves.sink() != context_.waves()) {
            view_.waves = waves.sink();
            if (view_.nodes.empty() || (view_.trace == nullptr && view_.debugger == nullptr)) {
                view_.nodes.resize(experiment_.torus.node_count());
                std::iota(view_.nodes.begin(), view_.nodes.end(), 0u);
            }
        }
        auto result = run(view_);
        waves.keep(std::exchange(result.rtl, {}), result.end);
        if (result.between.alone) differing_ = result.between.alone;
        if (of_.empty()) of_ = name;
        view_ = view_.unseen();
        debugger_.reset();
        return result;
    }
    const std::string& name() const { return of_; }
    // In lockstep: the packet that two levels treat differently, of any run.
    const std::optional<nic::receive_case>& differing() const { return differing_; }

private:
    const experiment& experiment_;
    face::run_context& context_;
    std::optional<nic::receive_case> differing_;
    run_view view_;
    std::unique_ptr<iss::gdb_server> debugger_;
    std::string of_;
};

// One of several experiments reports only results that the others have not reported.
int run_messages(const experiment& e, face::run_context& context, bool alone, first_run& seen) {
    const auto limits = runner::limits_of(context, e.watchdog, "TLPs");
    std::vector<message_result> runs;
    const int code = run_each(
        variants_of(e), runs, context,
        [&](const message_variant& v) {
            return seen(v.text(), [&](const run_view& view) { return run_messages(e, v, limits, view); });
        },
        [](const message_variant& v) { return v.text(); });
    if (!alone)
        for (message_result& r : runs) {
            if (e.kind == experiment_kind::latency) {
                r.links.clear();
            } else {
                r.watched.reset();
                r.profile = {};
            }
        }
    fill(context.report(), e, runs);
    if (!runs.empty() && alone) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

int run_programs(const experiment& e, face::run_context& context, first_run& seen) {
    const auto limits = runner::limits_of(context, e.watchdog, "TLPs");
    std::vector<program_result> runs;
    const int code = run_each(
        choices_of(e.programs), runs, context,
        [&](const program_choice& p) {
            return seen(p.text(), [&](const run_view& view) { return run_program(e, p, limits, view); });
        },
        [](const program_choice& p) { return p.text(); });
    fill(context.report(), e, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), runs.back().program.id(), context.report());
    return code;
}

int run_all(const experiment& e, face::run_context& context, first_run& seen) {
    experiment part = e;
    part.kind = experiment_kind::latency;
    int code = run_messages(part, context, false, seen);
    if (code == face::exit_ok) {
        part.kind = experiment_kind::bandwidth;
        part.messages.flow = message_flow::ring;
        code = run_messages(part, context, false, seen);
    }
    if (code == face::exit_ok) {
        part.kind = experiment_kind::programs;
        code = run_programs(part, context, seen);
    }
    context.report().title = fmt::format("{} nodes with hosts, GPUs and NICs", fmt::join(e.torus.nodes, " x "));
    return code;
}

}  // namespace

void torus_nic_platform::options(CLI::App& app) {
    firmware_.add_to(app);
    app.add_option("--nodes", nodes_text_,
                   "nodes whose NICs --wave shows and whose cores --trace shows; --gdb debugs the first one's")
        ->option_text("NUMBERS");
}

void torus_nic_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    const auto wrong = e.kind == experiment_kind::offered_load ? config::below("torus", net::problems_of(e.torus))
                                                               : problems_of(host::rdma_cluster::spec{e.node, e.torus});
    for (const auto& p : wrong) loaded.report(p, diag);
    if (!wrong.empty()) return;
    if (e.kind == experiment_kind::offered_load) return check_traffic(loaded, diag);
    check_faults(loaded, diag);
    check_receive(loaded, diag);
    if (has_core(e.receive.chosen()))
        firmware_.load(loaded, "receive.firmware", loaded.value.receive.firmware, diag);
    else
        firmware_.refuse(loaded, "receive.", e.receive.firmware, e.receive.chosen(), diag);
    if (nodes_text_) nodes_ = face::numbers_in("--nodes", *nodes_text_, "node", 0, e.torus.node_count() - 1);
    check_watchdog(loaded, diag);
    if (e.kind != experiment_kind::programs) check_messages(loaded, diag);
    if (e.kind == experiment_kind::programs || e.kind == experiment_kind::nodes)
        for (const auto& p : problems_of(e.programs, e.node, e.torus)) loaded.report(p, diag);
}

nlohmann::ordered_json torus_nic_platform::results_form(const config::loaded<experiment>& loaded) const {
    return torus_nic::results_form(loaded.value);
}

// Without --nodes where messages go to, then where they come from.
std::vector<unsigned> torus_nic_platform::shown_nodes(const experiment& e) const {
    if (!nodes_.empty()) return nodes_;
    const unsigned target = e.messages.target < e.torus.node_count() ? e.messages.target : 0;
    return target == 0 ? std::vector<unsigned>{0} : std::vector<unsigned>{target, 0};
}

int torus_nic_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    const experiment& e = loaded.value;
    if (e.kind == experiment_kind::offered_load) {
        if (context.waves() != nullptr || firmware_.debugs() || nodes_text_)
            throw face::usage_error("offered_load has a network without nodes: nothing for --wave, --gdb and --nodes");
        return run_loads(e, context);
    }
    firmware_report::keep_around_event(e.receive.chosen(), context);
    run_view view;
    if (has_core(e.receive.chosen())) view.program = &firmware_.program();
    view.trace = context.trace();
    view.waves = context.waves();
    view.nodes = shown_nodes(e);
    const bool shows = view.trace != nullptr || view.waves != nullptr || firmware_.debugs();
    if (nodes_text_ && !shows) throw face::usage_error("--nodes is given without --wave, --trace and --gdb");
    first_run seen(e, context, view, firmware_.debugger(context, name()));
    int code = face::exit_ok;
    try {
        code = e.kind == experiment_kind::nodes      ? run_all(e, context, seen)
               : e.kind == experiment_kind::programs ? run_programs(e, context, seen)
                                                     : run_messages(e, context, true, seen);
    } catch (const iss::elf_error& error) { throw face::usage_error(error.what()); }
    if (shows)
        context.report().headline.push_back(
            fmt::format("Trace, waves and debugger saw the first run, {}.", seen.name()));
    if (seen.differing()) firmware_report::keep_packet(*seen.differing(), e.receive.chosen(), context);
    if (context.out() && has_core(e.receive.chosen())) firmware_.keep(*context.out());
    return code;
}

int start(int argc, char** argv) {
    torus_nic_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::torus_nic
