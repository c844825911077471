// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/offered_load/offered_load_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/fields.h"

namespace contraflow::torus_nic {
namespace {

using config::name_of;

std::string shape(const experiment& e) {
    return fmt::format("{} {}", name_of(e.torus.topology), fmt::join(e.torus.nodes, " x "));
}

// The rate of a node, in GB/s.
double gb_per_s(const experiment& e, double words) { return words * e.torus.link_rate.gb_per_s(); }
double ns(double ps) { return ps * 1e-3; }

face::table loads(const experiment& e, const std::vector<load_result>& runs) {
    face::table t;
    t.id = "loads";
    t.title = "Latency and throughput by load";
    t.columns = {{"offered", "words/cycle"},
                 {"accepted", "words/cycle"},
                 {"last half", "words/cycle"},
                 {"a node", "GB/s"},
                 {"mean latency", "ns"},
                 {"p50", "ns"},
                 {"p99", "ns"},
                 {"max", "ns"},
                 {"busiest link", "%"},
                 {"saturated", ""}};
    for (const load_result& r : runs) {
        const auto latency = [&](double ps) { return r.arrived() ? face::cell{ns(ps)} : face::cell{"-"}; };
        t.rows.push_back({r.offered, r.accepted, r.accepted_at_last, gb_per_s(e, r.accepted), latency(r.mean_ps),
                          latency(r.p50_ps), latency(r.p99_ps), latency(r.max_ps), busiest(r.links) * 100,
                          r.never_arrived > 0 ? fmt::format("yes: {} packets waited too long to count", r.never_arrived)
                          : r.saturated       ? std::string("yes")
                                              : std::string("no")});
    }
    t.note = "latency is of packets created while it was measured, from their creation until they were taken; a node's "
             "rates are those of a node that sends; last half: accepted in the second half of the measurement";
    return t;
}

face::chart latency_chart(const experiment& e, const std::vector<load_result>& runs) {
    face::chart c;
    c.id = "latency";
    c.title = fmt::format("{}, {}: latency against throughput", shape(e), name_of(e.traffic.pattern));
    c.x = {"accepted", "words/cycle"};
    c.y = {"latency", "ns", true};
    c.series = {{"mean", {}}, {"p99", {}}};
    for (const load_result& r : runs) {
        if (!r.arrived()) continue;
        c.series[0].points.emplace_back(r.accepted, ns(r.mean_ps));
        c.series[1].points.emplace_back(r.accepted, ns(r.p99_ps));
    }
    c.note = "a point a load; where the curve rises and turns back, more is offered than the network takes";
    return c;
}

face::chart throughput_chart(const experiment& e, const std::vector<load_result>& runs) {
    face::chart c;
    c.id = "throughput";
    c.title = fmt::format("{}, {}: accepted load over offered load", shape(e), name_of(e.traffic.pattern));
    c.x = {"offered", "words/cycle"};
    c.y = {"accepted", "words/cycle"};
    c.series = {{"accepted", {}}};
    for (const load_result& r : runs) c.series[0].points.emplace_back(r.offered, r.accepted);
    return c;
}

nlohmann::ordered_json as_json(const experiment& e, const load_result& r) {
    return {{"load", r.load},
            {"offered", r.offered},
            {"accepted", r.accepted},
            {"accepted_at_first", r.accepted_at_first},
            {"accepted_at_last", r.accepted_at_last},
            {"node_gb_per_s", gb_per_s(e, r.accepted)},
            {"mean_ns", ns(r.mean_ps)},
            {"p50_ns", ns(r.p50_ps)},
            {"p99_ns", ns(r.p99_ps)},
            {"max_ns", ns(r.max_ps)},
            {"measured_packets", r.measured},
            {"never_arrived", r.never_arrived},
            {"saturated", r.saturated},
            {"busiest_link", busiest(r.links)},
            {"packet_hops", r.crossings},
            {"damaged_words", r.damaged},
            {"resent_words", r.resent},
            {"callbacks", r.callbacks},
            {"links", as_json(r.links)}};
}

}  // namespace

void fill(face::report_data& report, const experiment& e, const std::vector<load_result>& runs) {
    report.title = fmt::format("{}, {}", shape(e), name_of(e.traffic.pattern));
    report.levels = {{"network", "TLM, word by word"}};
    if (runs.empty()) return;
    const auto best = std::max_element(runs.begin(), runs.end(),
                                       [](const auto& a, const auto& b) { return a.accepted < b.accepted; });
    std::uint64_t damaged = 0, resent = 0, lost = 0;
    for (const load_result& r : runs) {
        damaged += r.damaged;
        resent += r.resent;
        lost += r.lost_credits;
    }
    report.headline.insert(
        report.headline.begin(),
        fmt::format("torus_nic: {}, {} traffic in packets of {} words: {:.3f} words a cycle and node accepted at most, "
                    "{:.2f} GB/s{}.",
                    shape(e), name_of(e.traffic.pattern), e.traffic.packet_words, best->accepted,
                    gb_per_s(e, best->accepted),
                    runs.front().arrived() ? fmt::format("; mean latency {:.0f} ns at load {:g}",
                                                         ns(runs.front().mean_ps), runs.front().load)
                                           : std::string{}));
    for (const load_result& r : runs)
        if (r.complete() && r.measured == 0)
            report.warnings.push_back(fmt::format(
                "no packet was created in the {} measured cycles at load {:g}: nothing was measured; a longer "
                "traffic.measure would have some",
                e.traffic.measure, r.load));
    for (const load_result& r : runs)
        if (r.declining())
            report.headline.push_back(fmt::format(
                "At load {:g} the network has no steady state: it accepts {:.3f} words a cycle and node in the first "
                "half "
                "of the measurement and {:.3f} in the second, and a longer one (traffic.measure) would give less.",
                r.load, r.accepted_at_first, r.accepted_at_last));
    if (damaged > 0)
        report.headline.push_back(
            fmt::format("{} damaged words were found; {} words were sent again.", damaged, resent));
    if (lost > 0) report.headline.push_back(fmt::format("{} words of credit were lost.", lost));
    if (lost == 0 && !e.lost_credits.empty())
        report.warnings.push_back("no credit was lost: none came back on that channel after that moment");
    face::section curves{"curves", "Latency and throughput", {loads(e, runs)}};
    curves.items.emplace_back(latency_chart(e, runs));
    curves.items.emplace_back(throughput_chart(e, runs));
    report.sections.push_back(std::move(curves));
    face::section heat{"links", "Links", {}};
    std::vector<const load_result*> shown{&runs.front()};
    if (runs.size() > 1) shown.push_back(&runs.back());
    for (const load_result* r : shown)
        if (r->complete())
            heat.items.emplace_back(
                heat_map(r->links, fmt::format("links-{:g}", r->load), fmt::format("at load {:g}", r->load)));
    if (!heat.items.empty()) report.sections.push_back(std::move(heat));
    auto& list = report.results["loads"] = nlohmann::ordered_json::array();
    for (const load_result& r : runs) list.push_back(as_json(e, r));
}

}  // namespace contraflow::torus_nic
