// SPDX-License-Identifier: Apache-2.0
// gpu: a whole machine in other units of time, with more of anything, and when it is overloaded.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"
#include "runner/run.h"
#include "validate/physics/gpu_probe.h"
#include "validate/shipped_configuration.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

// A workload on a machine; its result is verified, and what goes in comes out.
double time_us(const std::string& workload, const gpu::gpu_spec& s, const run_environment& environment) {
    const auto text = fmt::format("{{workload: {{{}}}}}\n", workload);
    const auto e = shipped_configuration<numa_gpu::experiment>("experiment", text.c_str());
    numa_gpu::run_options options;
    options.limits.keep_going = environment.keep_going;
    const auto result = numa_gpu::run_machine(s, e.workload, options);
    environment.check();
    runner::require_verified(workload, result);
    return face::us(result.end);
}

const char* const small_transpose = "name: transpose, n: 256";

// What a machine states as times; the rest is in cycles of its clock, or in rates.
std::vector<core::sim_time*> times_of(gpu::gpu_spec& s) {
    auto& d = s.dram;
    return {&d.activate,
            &d.precharge,
            &d.column,
            &d.row_active,
            &d.write_column,
            &d.activate_gap,
            &d.four_activates,
            &d.read_to_precharge,
            &d.write_recovery,
            &d.read_to_write,
            &d.write_to_read,
            &d.refresh_interval,
            &d.refresh,
            &d.overhead,
            &s.network.link.propagation,
            &s.network.link.pipeline};
}

// Every time half as long and every rate twice as high. Times of an odd number of picoseconds are made even before.
answer other_units(const run_environment& environment) {
    gpu::gpu_spec s = machine_of("");
    for (auto* t : times_of(s)) t->ps = t->ps / 2 * 2;
    gpu::gpu_spec faster = s;
    for (auto* t : times_of(faster)) t->ps /= 2;
    faster.clock = core::frequency{s.clock.hz * 2};
    faster.dram.channel_bandwidth.bytes_per_s *= 2;
    faster.network.link.lane_rate.bytes_per_s *= 2;
    return {{time_us(small_transpose, s, environment) / 2}, {time_us(small_transpose, faster, environment)}, ""};
}

// Twice as much of something: over the time before.
answer more_of_each(const run_environment& environment) {
    const double before = time_us(small_transpose, machine_of(""), environment);
    answer a;
    for (const char* const more :
         {"gpu: {l1: {mshrs: 512}}", "gpu: {l2: {bank: {mshrs: 128}}}", "gpu: {l2: {bank: {size: 512KiB}}}",
          "gpu: {dram: {banks: 32}}", "gpu: {dram: {queue: 128, write_queue: 128}}", "gpu: {crossbar: {queue: 64}}",
          "gpu: {unit: {outstanding: 512}}", "gpu: {rdma_ports: 16}", "network: {link: {receive_buffer: 32KiB}}",
          "network: {link: {queue: 2048}}", "network: {link: {lanes: {lanes_per_direction: 16}}}"}) {
        a.expected.push_back(1);
        a.measured.push_back(time_us(small_transpose, machine_of(more), environment) / before);
    }
    a.detail = "MSHRs of both levels, second level, banks and queues of the DRAM, queue of the crossbar, lines of a "
               "unit, ports, receive buffer, queue and lanes of a link";
    return a;
}

// Parts so small that they bind, over twice as much of each.
answer more_where_it_binds(const run_environment& environment) {
    answer a;
    for (const auto& [few, twice] : std::vector<std::pair<const char*, const char*>>{
             {"gpu: {l1: {mshrs: 1}}", "gpu: {l1: {mshrs: 2}}"},
             {"gpu: {l2: {banks: 1}}", "gpu: {l2: {banks: 2}}"},
             {"gpu: {unit: {outstanding: 1}}", "gpu: {unit: {outstanding: 2}}"},
             {"gpu: {units: 1}", "gpu: {units: 2}"},
             {"network: {link: {receive_buffer: 256B}}", "network: {link: {receive_buffer: 512B}}"},
             {"network: {link: {lanes: {lanes_per_direction: 1}}}",
              "network: {link: {lanes: {lanes_per_direction: 2}}}"}}) {
        a.expected.push_back(0.95);
        a.measured.push_back(time_us(small_transpose, machine_of(twice), environment) /
                             time_us(small_transpose, machine_of(few), environment));
    }
    a.detail =
        "MSHRs of the first level, banks of the second, lines of a unit, units, receive buffer and lanes of a link";
    return a;
}

// Queues of one or two entries: the run ends, its result is right, and nothing is lost or left.
answer overload(const run_environment& environment) {
    const auto s = machine_of("gpu: {l1: {queue: 1, request_queue: 2, mshrs: 1}, l2: {bank: {queue: 1, mshrs: 1, "
                              "request_queue: 2, write_backs: 1}}, crossbar: {queue: 1, response_queue: 1}, dram: "
                              "{queue: 1}, rdma_ports: 1}, network: {link: {queue: 1, receive_buffer: 256B}}");
    const double us = time_us("name: transpose, n: 128", s, environment);
    return {{1}, {us > 0 ? 1.0 : 0.0}, fmt::format("{:.4g} us", us)};
}

// A socket whose vectors are six times its second level: what one more pass takes, over what its DRAM could give.
answer triad_of_a_socket(const run_environment& environment) {
    const auto s = machine_of("gpus: 1");
    const auto us = [&](unsigned passes) {
        return time_us(fmt::format("name: triad, n: 1048576, passes: {}", passes), s, environment);
    };
    const double bytes = 3.0 * 1048576 * sizeof(double), once = us(1);
    const double gb_per_s = bytes * 1e-3 / (us(2) - once);
    const double dram = s.dram.channels * s.dram.channel_bandwidth.bytes_per_s * 1e-9;
    return {{0.7}, {gb_per_s / dram}, fmt::format("{:.4g} of {:.4g} GB/s", gb_per_s, dram)};
}

}  // namespace

std::vector<experiment> gpu_experiments() {
    return {
        {"gpu.units_of_time", "a transpose with all times halved and all rates doubled", "half the time", "us",
         relation::equal, 0.001, other_units},
        {"gpu.more", "a transpose with twice as much of each of eleven parts", "not slower", "x", relation::at_most,
         0.01, more_of_each},
        {"gpu.binding", "a transpose with one of each of six parts, and with two: the second time over the first",
         "at most 0.95", "x", relation::at_most, 0, more_where_it_binds},
        {"gpu.triad", "c = a + s b on a socket's own data: the share of its DRAM's bandwidth", "at least 0.7", "",
         relation::at_least, 0, triad_of_a_socket},
        {"gpu.overload", "a transpose through queues of one entry: 1 if it ends, verified and with nothing lost", "1",
         "", relation::equal, 0, overload},
    };
}

}  // namespace contraflow::validate
