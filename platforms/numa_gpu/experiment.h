// SPDX-License-Identifier: Apache-2.0
// A configuration of numa_gpu: the machine, the workloads, and which kinds of links are compared.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "cosim/controller_level.h"
#include "gpu/system/gpu_spec.h"
#include "lanes/lane_fault.h"
#include "study/study_spec.h"

namespace contraflow::numa_gpu {

enum class links {
    fixed,    // the same number of lanes, half of them in each direction, fixed
    dynamic,  // as configured
    doubled,  // twice the lanes, fixed
};

struct experiment : study::study_spec<links> {
    gpu::gpu_spec gpu;
    std::vector<lanes::lane_fault> lane_faults;
    cosim::controller_level lane_controller = cosim::controller_level::rtl;

    experiment() { compare = {links::fixed, links::dynamic, links::doubled}; }

    static void describe(config::fields<experiment>& f) {
        gpu::gpu_spec::describe_sockets(f, [](const experiment& e) -> const gpu::gpu_spec& { return e.gpu; });
        describe_programs(f, "a run each. static: half of the lanes each way; dynamic: as network.link says; double: "
                             "twice the lanes, static. Speed-ups are over the first");
        f("lane_controller", &experiment::lane_controller)
            .text("lane controller of every link. rtl: the RTL of rtl/lane_reversal; tlm: its model, which has "
                  "policies and sizes "
                  "that the RTL has not; lockstep: both, compared in every cycle");
        f("lane_faults", &experiment::lane_faults)
            .text("lanes that stop working in every run; the other lanes send their data again");
        describe_run(f, "window of the report's curves over time; in each window a direction was saturated or not",
                     "window of --trace and --wave, of the first run with dynamic links");
    }
};

// The machine with links of that kind.
inline gpu::gpu_spec machine_with(links l, gpu::gpu_spec s) {
    auto& lanes = s.network.link.lanes;
    if (l != links::dynamic) lanes.policy = "static";
    if (l == links::doubled) lanes.lanes_per_direction *= 2;
    return s;
}

}  // namespace contraflow::numa_gpu

template <> struct contraflow::config::enum_names<contraflow::numa_gpu::links> {
    using e = contraflow::numa_gpu::links;
    static constexpr std::array names{std::pair{e::fixed, "static"}, std::pair{e::dynamic, "dynamic"},
                                      std::pair{e::doubled, "double"}};
};

namespace contraflow::numa_gpu {
using config::name_of;
}  // namespace contraflow::numa_gpu
