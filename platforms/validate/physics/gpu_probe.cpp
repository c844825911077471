// SPDX-License-Identifier: Apache-2.0
#include "validate/physics/gpu_probe.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "numa_gpu/experiment.h"
#include "validate/checked_run.h"
#include "validate/shipped_configuration.h"
#include "workloads/support/permutation.h"

namespace contraflow::validate {
namespace {

using gpu::kernel;
using gpu::wave;

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t words_of_line = line_bytes / sizeof(std::uint32_t);

// A step through 0 to n-1 that visits each once: coprime to n, and far from its neighbours.
std::uint64_t coprime_step(std::uint64_t n) {
    for (std::uint64_t step = n * 5 / 13 + 1;; ++step) {
        std::uint64_t a = step, b = n;
        while (b != 0) a = std::exchange(b, a % b);
        if (a == 1) return step;
    }
}

struct chase_program {
    gpu_probe& probe;
    chain c;
    gpu::array<std::uint32_t> next;
    std::uint64_t loads = 0;
    core::sim_time once{}, twice{};

    gpu::host_task run() {
        const unsigned gpus = probe.machine.sockets();
        co_await probe.machine.host().launch(
            {"place", gpus, probe.machine.host().wave_width(), this, &chase_program::place});
        // Before the first one, lines of the second level have only what was stored.
        for (const unsigned chains : {1u, 1u, 2u}) {
            loads = chains * c.lines;
            const core::sim_time begun = probe.now();
            co_await probe.machine.host().launch(
                {"chase", gpus, probe.machine.host().wave_width(), this, &chase_program::chase});
            (chains == 1 ? once : twice) = probe.now() - begun;
        }
    }
    kernel place(wave w) {
        if (w.cta() != c.home) co_return;
        const auto in = w.only(gpu::mask::thread(0));
        const std::uint64_t step = coprime_step(c.lines);
        for (std::uint64_t i = 0; i < c.lines; ++i) {
            const auto to = static_cast<std::uint32_t>((i + step) % c.lines * words_of_line);
            co_await w.store(next, i * words_of_line, to);
        }
    }
    kernel chase(wave w) {
        if (w.cta() != c.by) co_return;
        const auto in = w.only(gpu::mask::thread(0));
        gpu::per_thread<std::uint32_t> at;
        for (std::uint64_t i = 0; i < loads; ++i) at = co_await w.load(next, at);
        if (at[0] != 0) throw std::runtime_error("a chain of loads did not end where it began");
    }
};

struct stream_program {
    gpu_probe& probe;
    stream t;
    gpu::array<std::uint32_t> data;
    const workloads::permutation shuffled{static_cast<unsigned>(std::countr_zero(t.lines)), 1};
    std::uint64_t passes = 0, stored = 0;  // of the launch; of all launches, by writes
    core::sim_time once{}, twice{};
    std::vector<core::sim_time> ended{};

    unsigned gpus() const { return probe.machine.sockets(); }
    std::uint64_t waves() const { return std::uint64_t{gpus()} * t.ctas * t.waves; }

    gpu::host_task run() {
        const unsigned ctas = gpus() * t.ctas, block = t.waves * probe.machine.host().wave_width();
        co_await probe.machine.host().launch({"place", ctas, block, this, &stream_program::place});
        for (const unsigned times : {1u, 1u, 2u}) {
            passes = times * t.passes;
            ended.assign(gpus(), probe.now());
            const core::sim_time begun = probe.now();
            co_await probe.machine.host().launch({"stream", ctas, block, this, &stream_program::body});
            (times == 1 ? once : twice) = probe.now() - begun;
            for (auto& e : ended) e = e - begun;
            if (t.kind == stream::access::write) stored += passes;
        }
        if (t.kind == stream::access::write)
            co_await probe.machine.host().launch({"check", ctas, block, this, &stream_program::check_stored});
    }
    std::uint64_t region_of(std::uint64_t cta, wave w) const { return (cta * t.waves + w.wave_in_cta()) * t.lines; }
    std::uint64_t region(wave w, unsigned shift) const {
        return region_of((w.cta() + std::uint64_t{shift} * t.ctas) % (std::uint64_t{gpus()} * t.ctas), w);
    }
    // A page lies in the memory of the GPU that touches it first.
    kernel place(wave w) {
        const std::uint64_t home = w.cta() / t.ctas;
        if (t.at >= 0) {
            if (home != static_cast<std::uint64_t>(t.at)) co_return;
            for (unsigned g = 0; g < gpus(); ++g) co_await fill(w, region_of(g * t.ctas + w.cta() % t.ctas, w));
        } else {
            co_await fill(w, region(w, 0));
        }
    }
    gpu::task<> fill(wave w, std::uint64_t first) {
        for (std::uint64_t i = 0; i < t.lines; ++i)
            co_await w.store(data, w.thread_ids() + (first + i) * words_of_line,
                             w.thread_ids() + static_cast<std::uint32_t>(first + i));
    }
    // Wavefronts begin at different places of their regions: regions are powers of two apart, and in step they would
    // all ask the same set of a cache and the same channel.
    std::uint64_t line_of(std::uint64_t first, std::uint64_t i) const {
        const std::uint64_t at = (i + first / t.lines * 29) % t.lines;
        return first + (t.by == stream::order::sequential ? at : shuffled(at));
    }
    // What a line holds after so many passes of writes.
    static std::uint32_t content(std::uint64_t line, std::uint64_t times) {
        return static_cast<std::uint32_t>(line + times * 0x9E3779B1u);
    }
    kernel body(wave w) {
        if (w.cta() >= std::uint64_t{t.gpus} * t.ctas) co_return;
        const std::uint64_t first = region(w, t.from);
        const auto at = [&](std::uint64_t i) { return w.thread_ids() + line_of(first, i) * words_of_line; };
        std::vector<gpu::load_operation<std::uint32_t>> loads;
        for (std::uint64_t p = 0; p < passes; ++p)
            for (std::uint64_t i = 0; i < t.lines; i += t.in_flight) {
                if (t.kind == stream::access::write) {
                    co_await w.store(data, at(i), w.thread_ids() + content(line_of(first, i), stored + p + 1));
                    continue;
                }
                loads.clear();
                for (unsigned k = 0; k < t.in_flight; ++k) loads.push_back(w.load(data, at(i + k)));
                for (unsigned k = 0; k < t.in_flight; ++k) check(w, first, i + k, co_await loads[k]);
            }
        auto& end = ended[w.cta() / t.ctas];
        end = std::max(end, probe.now());
    }
    // Every byte is what was stored there.
    void check(wave w, std::uint64_t first, std::uint64_t i, const gpu::per_thread<std::uint32_t>& found) const {
        if (w.any(!(found == w.thread_ids() + content(line_of(first, i), stored))))
            throw std::runtime_error("a stream read wrong bytes");
    }
    kernel check_stored(wave w) {
        if (w.cta() >= std::uint64_t{t.gpus} * t.ctas) co_return;
        const std::uint64_t first = region(w, t.from);
        for (std::uint64_t i = 0; i < t.lines; ++i)
            check(w, first, i, co_await w.load(data, w.thread_ids() + line_of(first, i) * words_of_line));
    }
};

}  // namespace

gpu::gpu_spec machine_of(const std::string& yaml) {
    const auto text = fmt::format("{{workload: {{name: triad}}{}{}}}\n", yaml.empty() ? "" : ", ", yaml);
    return numa_gpu::machine_with(numa_gpu::links::fixed,
                                  shipped_configuration<numa_gpu::experiment>("experiment", text.c_str()).gpu);
}

gpu_probe::gpu_probe(const gpu::gpu_spec& s, const run_environment& environment)
    : bench(core::time_source::scheduler),
      machine(simulation.events(), statistics, s),
      environment_(environment) {}

core::sim_time gpu_probe::run(gpu::host_task program) {
    const core::sim_time begun = now();
    machine.host().start(std::move(program));
    run_to_its_end(*this, machine, "an experiment on a GPU", environment_, [this] { machine.host().rethrow(); });
    return now() - begun;
}

double latency_ns(const gpu::gpu_spec& s, const chain& c, const run_environment& environment) {
    gpu_probe probe(s, environment);
    chase_program program{probe, c, probe.machine.memory().allocate<std::uint32_t>(c.lines * words_of_line)};
    probe.run(program.run());
    return (program.twice - program.once).seconds() * 1e9 / static_cast<double>(c.lines);
}

flow flow_of(const gpu::gpu_spec& s, const stream& t, const run_environment& environment) {
    gpu_probe probe(s, environment);
    const std::uint64_t lines = std::uint64_t{s.sockets} * t.ctas * t.waves * t.lines;
    stream_program program{probe, t, probe.machine.memory().allocate<std::uint32_t>(lines * words_of_line)};
    probe.run(program.run());
    const auto moved = static_cast<double>(std::uint64_t{t.gpus} * t.ctas * t.waves * t.lines * t.passes);
    flow f;
    f.gb_per_s = moved * static_cast<double>(line_bytes) / ((program.twice - program.once).seconds() * 1e9);
    for (const auto& e : program.ended) f.ns.push_back(e.seconds() * 1e9);
    return f;
}

}  // namespace contraflow::validate
