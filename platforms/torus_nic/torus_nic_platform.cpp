// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/torus_nic_platform.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "torus_nic/message_report.h"
#include "torus_nic/offered_load_report.h"
#include "torus_nic/program_result.h"

namespace contraflow::torus_nic {
namespace {

void check_faults(const config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    const auto names = net::torus_link_names(e.torus);
    for (std::size_t i = 0; i < e.lost_credits.size(); ++i) {
        const lost_credit& lost = e.lost_credits[i];
        const std::string path = fmt::format("lost_credits[{}]", i);
        if (std::find(names.begin(), names.end(), lost.link) == names.end()) {
            const std::string near = config::nearest(lost.link, names);
            loaded.report({fmt::format("there is no link {}{}", config::quoted(lost.link),
                                       near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)),
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

// A run each of some variants, until one fails.
template <class Result, class Variant, class Run, class Name>
int run_each(const std::vector<Variant>& variants, std::vector<Result>& runs, face::run_context& context, Run run,
             Name name) {
    for (const Variant& v : variants) {
        runs.push_back(run(v));
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

// One of several experiments reports only results that the others have not reported.
int run_messages(const experiment& e, face::run_context& context, bool alone) {
    const auto limits = runner::limits_of(context, e.watchdog, "TLPs");
    std::vector<message_result> runs;
    const int code = run_each(
        variants_of(e), runs, context, [&](const message_variant& v) { return run_messages(e, v, limits); },
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

int run_programs(const experiment& e, face::run_context& context) {
    const auto limits = runner::limits_of(context, e.watchdog, "TLPs");
    std::vector<program_result> runs;
    const int code = run_each(
        choices_of(e.programs), runs, context, [&](const program_choice& p) { return run_program(e, p, limits); },
        [](const program_choice& p) { return p.text(); });
    fill(context.report(), e, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), runs.back().program.id(), context.report());
    return code;
}

int run_all(const experiment& e, face::run_context& context) {
    experiment part = e;
    part.kind = experiment_kind::latency;
    int code = run_messages(part, context, false);
    if (code == face::exit_ok) {
        part.kind = experiment_kind::bandwidth;
        part.messages.flow = message_flow::ring;
        code = run_messages(part, context, false);
    }
    if (code == face::exit_ok) {
        part.kind = experiment_kind::programs;
        code = run_programs(part, context);
    }
    context.report().title = fmt::format("{} nodes with hosts, GPUs and NICs", fmt::join(e.torus.nodes, " x "));
    return code;
}

}  // namespace

void torus_nic_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    const auto wrong = e.kind == experiment_kind::offered_load ? config::below("torus", net::problems_of(e.torus))
                                                               : problems_of(host::rdma_cluster::spec{e.node, e.torus});
    for (const auto& p : wrong) loaded.report(p, diag);
    if (!wrong.empty()) return;
    if (e.kind == experiment_kind::offered_load) return check_traffic(loaded, diag);
    if (e.kind != experiment_kind::programs)
        for (const auto& p : problems_of(e.messages, e.node, e.torus)) loaded.report(p, diag);
    if (e.kind == experiment_kind::programs || e.kind == experiment_kind::nodes)
        for (const auto& p : problems_of(e.programs, e.node, e.torus)) loaded.report(p, diag);
}

int torus_nic_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    const experiment& e = loaded.value;
    if (context.waves() != nullptr)
        throw face::usage_error("--wave: torus_nic has no signals to show; --trace has links");
    if (e.kind == experiment_kind::offered_load) return run_loads(e, context);
    if (context.trace() != nullptr)
        throw face::usage_error("--trace shows links in offered_load; the page shows one message of the others");
    if (e.kind == experiment_kind::nodes) return run_all(e, context);
    if (e.kind == experiment_kind::programs) return run_programs(e, context);
    return run_messages(e, context, true);
}

}  // namespace contraflow::torus_nic
