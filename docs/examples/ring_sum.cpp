// SPDX-License-Identifier: Apache-2.0
// A kernel that talks (docs/kernels_that_talk.md): the GPUs of four nodes add up a row of numbers around a ring.
//   ring_sum [no_fence|no_wait]      leaves that out, and says what is wrong then
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/simulation.h"
#include "shmem/programs/scheme_run.h"

using namespace contraflow;

// --- 1. the program: the same kernel on each PE, and what must come out

class ring_sum final : public shmem::program_if {
public:
    struct choices {
        bool fence = true, wait = true;
    };
    static constexpr unsigned nodes = 4;
    static constexpr std::size_t row = 512;  // numbers
    explicit ring_sum(const choices& c) : with_(c) {}

    // Before the kernels, on the host: each PE makes the same calls of malloc.
    void prepare(shmem::job& j) override {
        for (unsigned rank = 0; rank < j.pes(); ++rank) {
            shmem::pe& pe = j[rank];
            memory& m = memory_.emplace_back();
            m.rows = pe.malloc<std::uint64_t>(row * j.pes());  // the own one, and those that come, by round
            m.flag = pe.malloc<std::uint64_t>(1);
            m.sum = pe.memory().upload(std::vector<std::uint64_t>(row));
            std::vector<std::uint64_t> own(row * j.pes());
            for (std::size_t i = 0; i < row; ++i) own[i] = number(rank, i);
            pe.memory().write(m.rows, own);
            pe.memory().write(m.flag, std::vector<std::uint64_t>{0});
        }
    }

    gpu::task<> whole(shmem::context& c, gpu::wave w) override {
        const memory& m = memory_[c.my_pe()];
        const unsigned right = (c.my_pe() + 1) % c.n_pes();
        co_await add(w, m, 0);
        for (unsigned round = 1; round < c.n_pes(); ++round) {
            co_await c.put_nbi(part(m, round), part(m, round - 1), row, right);  // what came last goes on
            if (with_.fence) co_await c.fence();                                 // the row, then the flag
            co_await c.p(m.flag, round, right);
            if (with_.wait) co_await c.wait_until(m.flag, shmem::cmp::ge, round);
            co_await add(w, m, round);
        }
    }

    std::string verify(shmem::job& j) const override {
        unsigned wrong = 0;
        for (unsigned rank = 0; rank < j.pes(); ++rank) {
            const auto sum = j[rank].memory().read(memory_[rank].sum);
            for (std::size_t i = 0; i < row; ++i) {
                std::uint64_t expected = 0;
                for (unsigned other = 0; other < j.pes(); ++other) expected += number(other, i);
                wrong += sum[i] != expected;
            }
        }
        return wrong == 0 ? "" : fmt::format("{} of {} sums are wrong", wrong, row * j.pes());
    }

    // One workgroup of two wavefronts, which puts when it likes.
    bool puts_at_any_time() const override { return true; }
    unsigned steps() const override { return 1; }
    unsigned workgroups() const override { return 1; }
    unsigned threads(unsigned wave_width) const override { return 2 * wave_width; }
    std::uint64_t heap_bytes() const override { return (row * nodes + 1) * sizeof(std::uint64_t); }
    gpu::task<> compute(shmem::pe&, gpu::wave, unsigned, shmem::part) override { co_return; }
    std::vector<message> messages(const shmem::pe&, unsigned, unsigned) const override { return {}; }
    std::vector<sender> senders(const shmem::pe&, unsigned, unsigned) const override { return {}; }

private:
    struct memory {  // of a PE
        gpu::array<std::uint64_t> rows, flag, sum;
    };
    static std::uint64_t number(unsigned rank, std::size_t i) { return 1000 * (rank + 1) + i; }
    static gpu::array<std::uint64_t> part(const memory& m, unsigned round) { return m.rows.slice(round * row, row); }

    static gpu::task<> add(gpu::wave w, const memory& m, unsigned round) {
        for (auto i : w.share(row)) {
            const auto [sum, more] = co_await w.all(w.load(m.sum, i), w.load(part(m, round), i));
            co_await w.store(m.sum, i, sum + more);
        }
    }

    const choices with_;
    std::vector<memory> memory_;
};

// --- 2. four nodes that run it, by each scheme of communication

// Who polls for what, when nothing has come for long.
static int explain(const shmem::scheme_run& run) {
    std::vector<core::wait_edge> edges;
    run.report_waits(edges);
    for (const core::wait_edge& e : edges) fmt::print("{} waits for {} of {}\n", e.waiter, e.resource, e.holder);
    return 3;
}

static int run_all(const ring_sum::choices& choices) {
    bool right = true;
    for (const shmem::scheme how : {shmem::scheme::gio, shmem::scheme::ikn}) {
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        host::queue_pair_cluster::spec nodes;
        nodes.nodes = ring_sum::nodes;
        // What may go wrong shall: these write combiners keep writes for long, and let them go in any order.
        nodes.node.gpu.values.ppb.order = gpu::drain_order::random;
        nodes.node.gpu.values.ppb.drain_after = core::sim_time::from_us(20);
        host::queue_pair_cluster cluster("", sim.events(), statistics, nodes);
        ring_sum program(choices);
        shmem::scheme_run::spec s;
        s.how = how;
        shmem::scheme_run run(sim.events(), cluster, program, s);
        sim.run_to(core::sim_time::from_us(1));
        sim.run();  // the drivers open queue pairs and register memory
        run.start();
        while (!run.finished()) {
            if (sim.events().now() > core::sim_time::from_us(1000)) return explain(run);
            sim.run_to(sim.events().now() + core::sim_time::from_us(1));
        }
        run.stop();
        sim.run();
        const std::string problem = run.problem();
        const core::sim_time time = run.step_ends(0).back() - run.started();
        fmt::print("{}: {}, {}\n", config::name_of(how), core::rounded_text(time),
                   problem.empty() ? "all sums are right" : problem);
        right &= problem.empty();
    }
    return right ? 0 : 1;
}

int main(int argc, char** argv) {
    ring_sum::choices choices;
    if (argc == 2 && std::strcmp(argv[1], "no_fence") == 0) choices.fence = false;
    if (argc == 2 && std::strcmp(argv[1], "no_wait") == 0) choices.wait = false;
    if (argc > 2 || (argc == 2 && choices.fence && choices.wait)) {
        std::cerr << "ring_sum takes no_fence, no_wait or nothing\n";
        return 2;
    }
    try {
        return run_all(choices);
    } catch (const std::exception& e) {
        std::cerr << "ring_sum: " << e.what() << '\n';
        return 1;
    }
}
