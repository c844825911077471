// SPDX-License-Identifier: Apache-2.0
// unit: what a compute unit has under way, by wavefronts and by lines.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/kernel/wave.h"
#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

// One unit whose loads find their lines in the second level, far from what its port carries.
std::string one_unit(const std::string& unit) {
    return fmt::format("gpus: 1, gpu: {{units: 1, l1: {{size: 8KiB}}, l2: {{bank: {{size: 1MiB}}}}, unit: {{{}}}}}",
                       unit);
}

answer by_outstanding(const run_environment& environment) {
    answer a;
    stream t;
    t.ctas = 16;
    t.waves = 1;
    const double alone = latency_ns(machine_of(one_unit("outstanding: 1")), {0, 0, 512}, environment);
    for (const unsigned lines : {1u, 2u, 8u}) {
        a.expected.push_back(lines / alone * 128);
        a.measured.push_back(
            flow_of(machine_of(one_unit(fmt::format("outstanding: {}", lines))), t, environment).gb_per_s);
    }
    a.detail = fmt::format("latency {:.4g} ns", alone);
    return a;
}

answer by_wavefronts(const run_environment& environment) {
    answer a;
    const auto s = machine_of(one_unit("outstanding: 128"));
    const double alone = latency_ns(s, {0, 0, 512}, environment);
    for (const unsigned waves : {1u, 2u, 8u}) {
        stream t;
        t.ctas = waves;
        t.waves = 1;
        a.expected.push_back(waves / alone * 128);
        a.measured.push_back(flow_of(s, t, environment).gb_per_s);
    }
    a.detail = fmt::format("latency {:.4g} ns", alone);
    return a;
}

// One wavefront that loads so many lines before it uses the first of them.
answer by_loads(const run_environment& environment) {
    answer a;
    const auto s = machine_of(one_unit("outstanding: 128, wave_loads: 16"));
    const double alone = latency_ns(s, {0, 0, 512}, environment);
    const double port = 128.0 / static_cast<double>(s.crossbar.flit.count) * s.cycle().seconds() * 1e9;  // a line
    for (const unsigned loads : {2u, 8u, 64u}) {
        stream t;
        t.ctas = t.waves = 1;
        t.in_flight = loads;
        const unsigned together = std::min(loads, 16u);
        a.expected.push_back(loads * 128 / (loads / together * alone + (together - 1) * port));
        a.measured.push_back(flow_of(s, t, environment).gb_per_s);
    }
    a.detail = fmt::format("latency {:.4g} ns", alone);
    return a;
}

// One wavefront that does nothing but read words of its scratchpad so many apart, or compute if that is 0.
struct issue_program {
    gpu_probe& probe;
    unsigned words_apart;
    unsigned instructions = 0;
    core::sim_time once{}, twice{};

    static constexpr unsigned words = 64 * 32;

    gpu::host_task run() {
        for (const unsigned times : {1u, 2u}) {
            instructions = 256 * times;
            const core::sim_time begun = probe.now();
            co_await probe.machine.host().launch({"issue", 1, probe.machine.host().wave_width(), this,
                                                  &issue_program::body, core::bytes{words * sizeof(std::uint32_t)}});
            (times == 1 ? once : twice) = probe.now() - begun;
        }
    }
    gpu::kernel body(gpu::wave w) {
        const auto scratchpad = w.shared<std::uint32_t>(words);
        for (unsigned i = 0; i < instructions; ++i) {
            if (words_apart != 0)
                w.read(scratchpad, w.thread_ids() * words_apart);
            else
                w.work(1);
        }
        co_await w.barrier();
    }
};

double cycles_an_instruction(const gpu::gpu_spec& s, unsigned words_apart, const run_environment& environment) {
    gpu_probe probe(s, environment);
    issue_program program{probe, words_apart};
    probe.run(program.run());
    return (program.twice - program.once).seconds() / s.cycle().seconds() / 256;
}

answer by_stride(const run_environment& environment) {
    answer a;
    for (const unsigned stride : {1u, 2u, 32u}) {
        a.expected.push_back(stride);
        a.measured.push_back(cycles_an_instruction(machine_of(one_unit("wave_width: 32")), stride, environment));
    }
    return a;
}

answer by_simd(const run_environment& environment) {
    answer a;
    for (const unsigned lanes : {64u, 32u, 16u}) {
        a.expected.push_back(64.0 / lanes);
        a.measured.push_back(cycles_an_instruction(
            machine_of(one_unit(fmt::format("wave_width: 64, lanes: {}", lanes))), 0, environment));
    }
    return a;
}

// Wavefronts that only compute: the cycles of so many instructions more, once their code is in the second level.
struct code_program {
    gpu_probe& probe;
    unsigned ctas, waves;
    std::uint64_t more;  // instructions
    std::uint64_t instructions = 0;
    core::sim_time once{}, twice{};

    gpu::host_task run() {
        for (const std::uint64_t now : {more, more, 2 * more}) {
            instructions = now;
            const core::sim_time begun = probe.now();
            co_await probe.machine.host().launch(
                {"code", ctas, waves * probe.machine.host().wave_width(), this, &code_program::body});
            (now == more ? once : twice) = probe.now() - begun;
        }
    }
    gpu::kernel body(gpu::wave w) { co_await w.compute(instructions); }
};

struct code_times {
    double once, more;  // cycles of a launch, and of the instructions that the next one has more
};
code_times code_of(const gpu::gpu_spec& s, unsigned ctas, unsigned waves, std::uint64_t instructions,
                   const run_environment& environment) {
    gpu_probe probe(s, environment);
    code_program program{probe, ctas, waves, instructions};
    probe.run(program.run());
    const double cycle = s.cycle().seconds();
    return {program.once.seconds() / cycle, (program.twice - program.once).seconds() / cycle};
}

gpu::gpu_spec fetching(unsigned units, const std::string& array) {
    return machine_of(
        fmt::format("gpus: 1, gpu: {{units: {}, l2: {{bank: {{size: 1MiB}}}}, shader_array: {{{}}}}}", units, array));
}

constexpr double instructions_of_line = 128.0 / static_cast<double>(gpu::instruction_size.count);

// What a load that its first level does not answer takes beyond it, in cycles.
double beyond_first_level(const run_environment& environment) {
    const auto s = machine_of(one_unit("outstanding: 1"));
    return latency_ns(s, {0, 0, 512}, environment) - static_cast<double>(s.l1.hit_latency.count) - 1;
}

answer by_code(const run_environment& environment) {
    answer a;
    const double beyond = beyond_first_level(environment);
    for (const auto& [array, line] :
         {std::pair<const char*, double>{"units: 1, buffer: 4, instructions: {hit_latency: 16cycles}", 0},
          {"units: 1, buffer: 1, instructions: {hit_latency: 16cycles}", 16},
          {"units: 1, buffer: 1, instructions: {hit_latency: 26cycles}", 26},
          {"units: 1, buffer: 1, code: 64KiB, instructions: {hit_latency: 16cycles}", 16 + beyond}}) {
        constexpr std::uint64_t lines = 1024;
        a.expected.push_back(instructions_of_line + line);
        a.measured.push_back(
            code_of(fetching(1, array), 1, 1, lines * static_cast<std::uint64_t>(instructions_of_line), environment)
                .more /
            lines);
    }
    return a;
}

answer by_sharing(const run_environment& environment) {
    answer a;
    for (const unsigned units : {1u, 2u, 4u, 8u}) {
        constexpr std::uint64_t each = 8192;
        const auto s = fetching(8, fmt::format("units: {}, buffer: 16", units));
        const double needed = 8 * s.unit.schedulers, from_caches = 8.0 / units * instructions_of_line;
        a.expected.push_back(std::min(needed, from_caches));
        const unsigned waves = s.unit.schedulers;
        a.measured.push_back(8.0 * waves * each / code_of(s, 8, waves, each, environment).more);
    }
    return a;
}

answer by_arguments(const run_environment& environment) {
    answer a;
    const double none = code_of(fetching(1, "units: 1, arguments: 0B"), 1, 1, 64, environment).once;
    const double beyond = beyond_first_level(environment);
    for (const unsigned latency : {16u, 26u}) {
        a.expected.push_back(latency + beyond);
        a.measured.push_back(code_of(fetching(1, fmt::format("units: 1, scalars: {{hit_latency: {}cycles}}", latency)),
                                     1, 1, 64, environment)
                                 .once -
                             none);
    }
    return a;
}

}  // namespace

std::vector<experiment> unit_experiments() {
    return {
        {"unit.outstanding", "loads of one unit that may have 1, 2 and 8 lines under way",
         "lines / latency (Little's law)", "GB/s", relation::equal, 0.05, by_outstanding},
        {"unit.wavefronts", "1, 2 and 8 wavefronts that use each load before the next", "wavefronts / latency", "GB/s",
         relation::equal, 0.05, by_wavefronts},
        {"unit.loads", "one wavefront that loads 2, 8 and 64 lines before it uses them; 16 may be under way",
         "lines / (latency x turns + time of the others of a turn on the port)", "GB/s", relation::equal, 0.05,
         by_loads},
        {"unit.lanes", "an instruction of a wavefront of 64 threads on SIMDs of 64, 32 and 16 lanes", "threads / lanes",
         "cycles", relation::equal, 0.001, by_simd},
        {"unit.banks", "a read of the scratchpad by 32 threads whose words are 1, 2 and 32 apart, in 32 banks",
         "distinct words of the busiest bank", "cycles", relation::equal, 0.001, by_stride},
        {"unit.code",
         "a line of code: fetched ahead; not ahead; the same with 10 cycles more in the instruction cache; and from "
         "the "
         "second level",
         "its instructions + what a fetch takes that nothing hides", "cycles", relation::equal, 0.02, by_code},
        {"unit.code_shared", "8 units of 4 schedulers, of which 1, 2, 4 and 8 share an instruction cache",
         "the smaller of: schedulers; caches x instructions of a line, a line a cycle", "instructions/cycle",
         relation::equal, 0.03, by_sharing},
        {"unit.arguments", "what a kernel's arguments add to a launch, with a scalar cache of 16 and of 26 cycles",
         "look-up + a load's time beyond its first level", "cycles", relation::equal, 0.02, by_arguments},
    };
}

}  // namespace contraflow::validate
