// SPDX-License-Identifier: Apache-2.0
// L1, L2 and L5: the gain by lanes that turn, and by twice the wires, for programs whose traffic saturates both
// directions, one, or none.
#include <fmt/format.h>

#include "validate/numa_gpu/numa_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

using numa_gpu::links;

constexpr const char* both_ways = "name: gather_scatter, bits: 19";
constexpr const char* one_way = "name: many_to_one, columns: 262144, rows: 1";
constexpr const char* own_data = "name: triad, n: 262144";

double kernel_s(const numa_gpu::run_result& r, const std::string& name) {
    core::sim_time sum{};
    for (const auto& k : r.kernels)
        if (k.name == name) sum += k.ended - k.begun;
    return sum.seconds();
}

// The time of the kernel that pushes with static links over that with these links.
double push_speed_up(links kind, unsigned ack_coalescing, const run_environment& environment) {
    numa_case c{one_way, kind};
    c.ack_coalescing = ack_coalescing;
    const double time = kernel_s(run_of(c, environment), "push");
    c.links = links::fixed;
    return kernel_s(run_of(c, environment), "push") / time;
}

std::string saturation_text(const char* workload, const run_environment& environment) {
    const auto shares = run_of({workload, links::fixed}, environment).saturation();
    return fmt::format("static links saturated both ways for {:.0f} %, one way for {:.0f} % of the time",
                       shares[0] * 100, shares[1] * 100);
}

}  // namespace

measurement both_saturated_dynamic(const run_environment& environment) {
    return {{speed_up({both_ways, links::dynamic}, environment)},
            fmt::format("gather_scatter; {}.", saturation_text(both_ways, environment)),
            "`published` takes a lane from a direction that is busy for 98 % of a window and needs it in the next. "
            "Programs "
            "of the published class, algebraic_multigrid and euler, at size paper: docs/workloads/README.md.",
            {}};
}

measurement both_saturated_guarded(const run_environment& environment) {
    const numa_case guarded{both_ways, links::dynamic, "guarded"};
    const std::uint64_t turns = run_of(guarded, environment).turns();
    return {{speed_up(guarded, environment)},
            turns == 0 ? std::string("As L1a. No lane turned, as no direction could do without one: what a turn would "
                                     "cost is not part of this row.")
                       : fmt::format("As L1a; {} turns.", turns),
            {},
            {}};
}

measurement both_saturated_double(const run_environment& environment) {
    return {{speed_up({both_ways, links::doubled}, environment)}, "As L1a.", {}, {}};
}

measurement one_saturated(const run_environment& environment) {
    const unsigned tags = link::link_spec{}.ack_coalescing;
    return {{push_speed_up(links::dynamic, tags, environment)},
            fmt::format("many_to_one, the kernel that pushes: 25 MB from three sockets into the fourth's memory. The "
                        "whole program {:.2f}x; with twice the wires the kernel {:.2f}x. Acknowledgements that wait "
                        "share a header, {} at most (tlm/link/README.md).",
                        speed_up({one_way, links::dynamic}, environment),
                        push_speed_up(links::doubled, tags, environment), tags),
            {},
            {}};
}

measurement one_saturated_single_tags(const run_environment& environment) {
    return {{push_speed_up(links::dynamic, 1, environment)},
            "As L2a with network.link.ack_coalescing 1.",
            "16 bytes come back for every 144: with 15 lanes one way, acknowledgements saturate the sixteenth, and "
            "`published` turns a lane back and forth.",
            {}};
}

measurement local_data(const run_environment& environment) {
    const auto& links_of_dynamic = run_of({own_data, links::dynamic}, environment).links;
    return {{speed_up({own_data, links::dynamic}, environment), speed_up({own_data, links::doubled}, environment)},
            fmt::format("triad: dynamic, double. {:.3g} MB cross the links in both directions together, and {} lanes "
                        "turn: what these links cost a program that does not need them, not what they do for one "
                        "that hardly does.",
                        static_cast<double>(lanes::payload_of(links_of_dynamic, link::direction::ab) +
                                            lanes::payload_of(links_of_dynamic, link::direction::ba)) *
                            1e-6,
                        lanes::turns_of(links_of_dynamic)),
            {},
            {}};
}

}  // namespace contraflow::validate
