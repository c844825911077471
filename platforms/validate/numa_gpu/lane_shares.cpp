// SPDX-License-Identifier: Apache-2.0
// L3 and L4: one direction saturated, the other three quarters full; lanes alone, played cycle by cycle.
#include <stdexcept>

#include <fmt/format.h>

#include "link/cases/lane_harness.h"
#include "link/lanes/policies.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr std::uint64_t lanes = 8;
constexpr std::uint64_t other_load = 6;  // phits a cycle: 75 % of 8 lanes

link::replay_result play(const std::vector<link::trace_row>& trace, const char* policy,
                         const run_environment& environment) {
    link::lane_spec s;
    s.policy = policy;
    const auto bank = link::make_lane_bank(s);
    auto played = link::replay(*bank, trace, environment.keep_going);
    if (!played.complete) throw stopped();
    return played;
}

// The cycles until that number of phits has crossed, under the load of L3.
double cycles_for(std::uint64_t phits, const char* policy, const run_environment& environment) {
    const std::vector<link::trace_row> trace{{phits / lanes, {2 * lanes, other_load}, false}};
    std::uint64_t crossed = 0, begin = 0;
    for (const auto& w : play(trace, policy, environment).windows) {
        const std::uint64_t busy = w.lanes.busy[link::direction::ab];
        if (crossed + busy >= phits)
            return static_cast<double>(begin) + static_cast<double>(phits - crossed) / static_cast<double>(busy) *
                                                    static_cast<double>(w.lanes.end - begin);
        crossed += busy;
        begin = w.lanes.end;
    }
    throw std::logic_error("the trace ended early");
}

}  // namespace

measurement saturated_egress_lanes(const run_environment& environment) {
    const link::lane_spec s;
    const std::vector<link::trace_row> trace{{20 * s.sample_time.count, {2 * lanes, other_load}, false}};
    const auto last = play(trace, "published", environment).windows.at(19).lanes;
    const auto cycles = static_cast<double>(s.sample_time.count);
    return {{static_cast<double>(last.lanes[link::direction::ab]), static_cast<double>(last.lanes[link::direction::ba]),
             (static_cast<double>(last.busy[link::direction::ab]) / cycles / lanes - 1) * 100},
            "Lanes and policy `published` alone: 16 phits a cycle offered one way, 6 the other; the 20th window.",
            {},
            {}};
}

measurement saturated_half_of_the_time(const run_environment& environment) {
    constexpr std::uint64_t transfer = 2'000'000;
    const auto time = [&](const char* policy) {
        return cycles_for(lanes * transfer, policy, environment) + static_cast<double>(transfer);
    };
    return {{(time("static") / time("published") - 1) * 100},
            fmt::format("The load of L3 until as much has crossed as 8 lanes carry in {} cycles, then as many cycles "
                        "without traffic, which are added, not played.",
                        transfer),
            "Amdahl's law gives 1 / (0.5 + 0.5 / 1.25) = 1.111; the published value is half of 25 %.",
            {}};
}

}  // namespace contraflow::validate
