// SPDX-License-Identifier: Apache-2.0
// What a configuration of numa_gpu says: the machine, the workloads, and which kinds of links are compared.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "cosim/controller_level.h"
#include "gpu/system/gpu_spec.h"
#include "gpu/compute_unit/request_trace.h"
#include "numa_gpu/lane_fault.h"
#include "workloads/selection.h"

namespace contraflow::numa_gpu {

enum class links {
    fixed,    // as many lanes, half of them each way for ever
    dynamic,  // as configured
    doubled,  // twice the lanes, fixed
};

struct experiment {
    gpu::gpu_spec gpu;
    workloads::selection workload;
    std::vector<workloads::workload_name> also;
    std::vector<lane_fault> lane_faults;
    cosim::controller_level lane_controller = cosim::controller_level::rtl;
    std::vector<links> compare{links::fixed, links::dynamic, links::doubled};
    core::sim_time watchdog = core::sim_time::from_us(500);
    core::sim_time series_window = core::sim_time::from_us(1);
    gpu::trace_window window;
    std::uint64_t seed = 0;

    static void describe(config::fields<experiment>& f) {
        f("gpu", &experiment::gpu).text("the machine");
        f("workload", &experiment::workload).text("what runs on it");
        f("also", &experiment::also)
            .text("further workloads, each on a machine of its own, with the parameters that workload.size gives");
        f("compare", &experiment::compare)
            .text("static: half of the lanes each way; dynamic: as gpu.network.link says; double: twice the lanes, "
                  "static. Speed-ups are over the first");
        f("lane_controller", &experiment::lane_controller)
            .text("of every link. rtl: the RTL of rtl/lane_reversal; tlm: its model, which has policies and sizes "
                  "that the RTL has not; lockstep: both, compared in every cycle");
        f("lane_faults", &experiment::lane_faults)
            .text("lanes that stop working in every run; what they carried is sent again by those that are left");
        f("watchdog", &experiment::watchdog)
            .at_least(core::sim_time::from_us(1))
            .text("the run stops when nothing has moved for this long with work left");
        f("series_window", &experiment::series_window)
            .at_least(core::sim_time::from_ns(100))
            .text("of what the report shows over time; in each a direction was saturated or not");
        f("seed", &experiment::seed).text("of the workloads' data, where they have one; 0: what each of them says");
        f("window", &experiment::window).text("what --trace and --wave show, of the first run with dynamic links");
    }
};

// "static", "dynamic", "double"
constexpr std::string_view name_of(links l) {
    return l == links::fixed ? "static" : l == links::dynamic ? "dynamic" : "double";
}

// All of them, in order.
inline std::vector<workloads::selection> workloads_of(const experiment& e) {
    std::vector<workloads::selection> all{e.workload};
    for (const auto& name : e.also) {
        all.emplace_back(name.text, e.workload.size());
        all.back().set("sockets", std::to_string(e.gpu.sockets));
    }
    if (e.seed != 0)
        for (auto& w : all) w.set("seed", std::to_string(e.seed));
    return all;
}

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
