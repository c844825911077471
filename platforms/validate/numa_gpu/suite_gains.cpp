// SPDX-License-Identifier: Apache-2.0
// L6, L7b and L8: every workload that was chosen for links, at its small size.
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "lanes/link_result.h"
#include "validate/numa_gpu/numa_setup.h"
#include "validate/table/rows.h"
#include "workloads/catalogue.h"

namespace contraflow::validate {
namespace {

using numa_gpu::links;

// At size small kernels are short, so lanes turn only if the sample time is short.
constexpr std::uint64_t turning_sample = 1000;
constexpr std::uint64_t few_turns = 4;

std::vector<std::string> suite() {
    std::vector<std::string> names;
    for (const auto& w : workloads::all())
        if (w.chosen_for == workloads::suite::links) names.emplace_back(w.name);
    return names;
}

numa_case small(const std::string& name, links kind, const char* policy = "published") {
    return {fmt::format("name: {}, size: small", name), kind, policy};
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}

std::vector<double> speed_ups(links kind, const run_environment& environment, const char* policy = "published") {
    std::vector<double> out;
    for (const auto& name : suite()) out.push_back(speed_up(small(name, kind, policy), environment));
    return out;
}

// Explains why a program can be slower with lanes that turn.
constexpr const char* late = "A lane follows the traffic of one window; where the next window's is the opposite, as "
                             "between the passes of a sort, it is missed there until it has come back.";

measurement least(const char* policy, const run_environment& environment, const char* reason) {
    const auto dynamic = speed_ups(links::dynamic, environment, policy);
    const auto found = std::min_element(dynamic.begin(), dynamic.end());
    return {{*found},
            fmt::format("The workloads of L6; the one that gains least is {}.",
                        suite()[static_cast<std::size_t>(found - dynamic.begin())]),
            reason,
            {}};
}

face::chart suite_chart(const std::vector<double>& dynamic, const std::vector<double>& doubled) {
    face::chart c;
    c.id = "suite";
    c.title = "Speed-up over static links";
    c.type = face::chart::kind::bar;
    c.x = {"workload", ""};
    c.y = {"speed-up", "x"};
    c.categories = suite();
    c.series = {{"dynamic", {}}, {"double", {}}};
    for (std::size_t i = 0; i < dynamic.size(); ++i) {
        c.series[0].points.emplace_back(static_cast<double>(i), dynamic[i]);
        c.series[1].points.emplace_back(static_cast<double>(i), doubled[i]);
    }
    return c;
}

// What turning lanes could bring to each program, and what the policies reach of it.
struct turning_gain {
    double share = 0;             // of the time, with one direction saturated somewhere
    double amdahl = 1;            // the speed-up that follows from it
    std::vector<double> reached;  // by policy
};
constexpr std::array turning_policies{"published", "guarded", "predictive"};

std::vector<turning_gain> turning_gains(const run_environment& environment) {
    std::vector<turning_gain> all;
    for (const auto& name : suite()) {
        const double share = run_of(small(name, links::fixed), environment).one_way_somewhere();
        const auto lanes = experiment_of(small(name, links::fixed)).gpu.network.link.lanes;
        turning_gain g{share, lanes::amdahl_of_turning(share, lanes), {}};
        for (const char* policy : turning_policies)
            g.reached.push_back(speed_up(small(name, links::dynamic, policy), environment));
        all.push_back(std::move(g));
    }
    return all;
}

face::table turning_table(const std::vector<turning_gain>& gains, const std::vector<double>& doubled) {
    face::table t;
    t.id = "turning";
    t.title = "What turns lanes, and what it can bring";
    t.columns = {{"workload", ""}, {"one direction saturated", "%"}, {"by Amdahl", "x"}};
    for (const char* policy : turning_policies) t.columns.push_back({policy, "x"});
    t.columns.push_back({"double", "x"});
    const auto names = suite();
    for (std::size_t i = 0; i < gains.size(); ++i) {
        std::vector<face::cell> row{names[i], gains[i].share * 100, gains[i].amdahl};
        for (const double r : gains[i].reached) row.emplace_back(r);
        row.emplace_back(doubled[i]);
        t.rows.push_back(std::move(row));
    }
    t.note =
        "one direction saturated: share of the time with static links in which some link had exactly one direction "
        "saturated in a window of 1 us; by Amdahl: the speed-up if that time passes with as many lanes as the other "
        "direction can spare; then what each policy reaches, and twice the wires: lanes that turn never give both "
        "directions as many. Bursts shorter than a window are not seen";
    t.on_terminal = false;
    return t;
}

std::string listed(const std::vector<double>& values) {
    std::string text;
    const auto names = suite();
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{} {:.3f}", i == 0 ? "" : ", ", names[i], values[i]);
    return text;
}

// Time at that SwitchTime over that at 100 cycles in percent, the mean of the programs in which lanes turn.
double cost_of_switching(std::uint64_t cycles, const run_environment& environment) {
    std::vector<double> costs;
    for (const auto& name : suite()) {
        numa_case c = small(name, links::dynamic);
        c.sample_cycles = turning_sample;
        const auto& usual = run_of(c, environment);
        if (usual.turns() < few_turns) continue;
        c.switch_cycles = cycles;
        costs.push_back((time_s(c, environment) / usual.end.seconds() - 1) * 100);
    }
    if (costs.empty()) throw std::runtime_error("no lane turned");
    return mean(costs);
}

std::string turning_text(const run_environment& environment) {
    std::string text;
    for (const auto& name : suite()) {
        numa_case c = small(name, links::dynamic);
        c.sample_cycles = turning_sample;
        if (const auto turns = run_of(c, environment).turns(); turns >= few_turns)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, turns);
    }
    return fmt::format("The workloads of L6 at SampleTime {}, where 5K would hardly turn a lane; turns: {}.",
                       turning_sample, text);
}

}  // namespace

measurement suite_means(const run_environment& environment) {
    const auto dynamic = speed_ups(links::dynamic, environment), doubled = speed_ups(links::doubled, environment);
    measurement m;
    m.values = {(mean(doubled) - 1) * 100, (mean(dynamic) - 1) * 100};
    m.how = fmt::format("All {} workloads at size small; dynamic: {}; double: {}.", dynamic.size(), listed(dynamic),
                        listed(doubled));
    const auto gains = turning_gains(environment);
    double amdahl = 0;
    for (const turning_gain& g : gains) amdahl += (g.amdahl - 1) * 100 / static_cast<double>(gains.size());
    m.reason = fmt::format("Depends on the choice of workloads and their sizes, which is ours. From the time in which "
                           "one direction alone is "
                           "saturated Amdahl's law gives {:.1f} %; at size small there are too few windows of 5,000 "
                           "cycles to reach more of "
                           "it. Size paper: docs/workloads/README.md.",
                           amdahl);
    m.details.push_back(
        {"suite", "L6: every workload", {suite_chart(dynamic, doubled), turning_table(gains, doubled)}});
    return m;
}

measurement slowest_of_suite(const run_environment& environment) { return least("published", environment, late); }

measurement slowest_of_guarded_suite(const run_environment& environment) { return least("guarded", environment, late); }

measurement longer_switch_times(const run_environment& environment) {
    return {
        {cost_of_switching(200, environment), cost_of_switching(500, environment)}, turning_text(environment), {}, {}};
}

measurement shorter_switch_time(const run_environment& environment) {
    return {{-cost_of_switching(10, environment)}, "As L8a.", {}, {}};
}

}  // namespace contraflow::validate
