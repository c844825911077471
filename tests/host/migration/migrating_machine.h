// SPDX-License-Identifier: Apache-2.0
// Small GPUs between which pages move, and work in which every GPU uses all pages.
#pragma once

#include <vector>

#include "host/machine.h"
#include "host/migration/page_migrator.h"

namespace contraflow::host::testing {

using migration::granularity;
using migration::move_kind;
using migration::move_record;
using migration::page_migrator;
using migration::policy_kind;
using migration::step;

inline unified_machine::spec migrating(unified_machine::spec s, policy_kind policy) {
    s.migration.when.policy = policy;
    s.gpus.counters.threshold = 8;
    return s;
}
inline unified_machine::spec migrating(unsigned gpus, policy_kind policy) {
    return migrating(translated(small_gpus(gpus)), policy);
}
// A configuration in which every queue has one place.
inline unified_machine::spec tight(unified_machine::spec s) {
    s.gpus.gpu.rdma = {1, {2}};
    s.gpus.migration.pages = s.gpus.migration.queue = 1;
    s.gpus.migration.outstanding = 2;
    s.gpus.counters.sets = s.gpus.counters.ways = 1;
    s.migration.concurrent = 2;
    s.migration.queue = 1;
    return s;
}

struct recorded_moves final : migration::move_observer_if {
    void page_moved(const move_record& m) override { all.push_back(m); }
    std::vector<move_record> all;
};

struct migrating_machine : machine {
    explicit migrating_machine(const unified_machine::spec& s) : machine(s) {
        if (whole.migrator() != nullptr) mover().set_observer(&moves);
        all.resize(gpus.gpus());
        std::iota(all.begin(), all.end(), 1u);
        c.select_gpu(c.create_unified_gpu(all));
    }
    page_migrator& mover() { return *whole.migrator(); }
    const migration::statistics_set& counts() { return mover().statistics(); }
    unsigned gpu_of(std::uint64_t address) { return driver.memory().gpu_of(c.process(), address); }
    // A queue of that GPU alone.
    command_queue& queue_on(unsigned gpu) {
        const unsigned before = c.selected_gpu();
        c.select_gpu(gpu);
        command_queue& q = c.create_queue();
        c.select_gpu(before);
        return q;
    }
    // An array in the memory of that GPU.
    gpu::array<std::uint32_t> array_on(unsigned gpu, std::size_t count) {
        const unsigned before = c.selected_gpu();
        c.select_gpu(gpu);
        const auto a = c.allocate<std::uint32_t>(count);
        c.select_gpu(before);
        return a;
    }
    std::vector<std::uint32_t> contents(gpu::array<std::uint32_t> a) {
        std::vector<std::uint32_t> v(a.size());
        auto& q = queue_on(1);
        auto program = [&]() -> gpu::host_task { co_await q.copy_from_device(v, a); };
        run(program());
        return v;
    }

    context& c = driver.create_context();
    recorded_moves moves;
    std::vector<unsigned> all;
};

// Every thread adds to words all over an array and to words of its own, in every page.
struct writers_everywhere {
    static constexpr std::uint32_t pages = 8, n = pages * 1024;
    migrating_machine& m;
    std::uint32_t ctas, rounds;
    gpu::array<std::uint32_t> x, own;
    command_queue& q;

    explicit writers_everywhere(migrating_machine& of, std::uint32_t ctas = 32, std::uint32_t rounds = 12)
        : m(of),
          ctas(ctas),
          rounds(rounds),
          x(m.c.allocate<std::uint32_t>(n)),
          own(m.c.allocate<std::uint32_t>(n)),
          q(m.c.create_queue()) {}

    gpu::kernel update(gpu::wave w) {
        for (std::uint32_t r = 0; r < rounds; ++r) {
            co_await w.atomic_add(x, (w.global_ids() * 257 + r * 4001) % n, 1);
            const auto mine = (w.global_ids() + r % 4 * (n / 4)) % n;
            co_await w.store(own, mine, co_await w.load(own, mine) + r + 1);
        }
    }
    gpu::host_task work() { co_await q.launch({"update", ctas, 64, this, &writers_everywhere::update}); }
    void expect_results() {
        ASSERT_LE(ctas * 64, n / 4);  // each word belongs to one thread only
        std::vector<std::uint32_t> sums(n), owns(n);
        for (std::uint32_t t = 0; t < ctas * 64; ++t)
            for (std::uint32_t r = 0; r < rounds; ++r) {
                ++sums[(t * 257 + r * 4001) % n];
                owns[(t + r % 4 * (n / 4)) % n] += r + 1;
            }
        EXPECT_EQ(m.contents(x), sums);
        EXPECT_EQ(m.contents(own), owns);
        m.expect_clean();
    }
};

}  // namespace contraflow::host::testing
