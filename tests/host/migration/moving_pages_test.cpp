// SPDX-License-Identifier: Apache-2.0
// Pages that move under kernels of all GPUs: no translation outlives its shootdown, and no write is lost.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "moving_pages.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::host_task;
using gpu::kernel;
using gpu::network_kind;
using gpu::of_links;
using gpu::wave;
using host::testing::machine;
using host::testing::page_mover;
using host::testing::small_gpus;
using host::testing::translated;
using net::topology;
using ::testing::HasSubstr;

// Every GPU updates words all over the array while its pages move.
struct contended {
    static constexpr std::uint32_t pages = 12, n = pages * 1024, ctas = 48, rounds = 6;
    machine& m;
    context& c = m.driver.create_context();
    gpu::array<std::uint32_t> x, own;
    command_queue* q = nullptr;
    std::uint64_t wrong = 0;
    std::vector<std::uint32_t> sums = std::vector<std::uint32_t>(n), owns = std::vector<std::uint32_t>(n);

    explicit contended(machine& of) : m(of) {
        c.select_gpu(c.create_unified_gpu({1, 2, 3, 4}));
        x = c.allocate<std::uint32_t>(n);
        own = c.allocate<std::uint32_t>(n);  // behind it: one range of pages to be moved
        q = &c.create_queue();
    }
    kernel update(wave w) {
        for (std::uint32_t r = 0; r < rounds; ++r) {
            const auto at = (w.global_ids() * 257 + r * 4001) % n;
            co_await w.atomic_add(x, at, 1);
            const auto seen = co_await w.load(x, at);
            wrong += (seen > rounds + 100).count();
            const auto mine = w.global_ids() * 4 + r % 4;
            co_await w.store(own, mine, co_await w.load(own, mine) + r + 1);
        }
    }
    host_task work() { co_await q->launch({"update", ctas, 64, this, &contended::update}); }
    host_task look() {
        q->copy_from_device(sums, x);
        co_await q->copy_from_device(owns, own);
    }
    void expect_results() {
        m.run(look());
        std::vector<std::uint32_t> expected(n);
        for (std::uint32_t t = 0; t < ctas * 64; ++t)
            for (std::uint32_t r = 0; r < rounds; ++r) ++expected[(t * 257 + r * 4001) % n];
        EXPECT_EQ(sums, expected);
        for (std::uint32_t i = 0; i < n; ++i) {
            std::uint32_t sum = 0;
            for (std::uint32_t r = i % 4; r < rounds; r += 4) sum += r + 1;
            ASSERT_EQ(owns[i], sum) << i;
        }
        EXPECT_EQ(wrong, 0u);
        m.expect_clean();
    }
};

TEST(moving_pages, no_gpu_uses_a_page_where_it_was_once_all_have_acknowledged) {
    std::uint64_t moved = 0, held = 0;
    for (const network_kind how : {of_links(topology::central_switch), network_kind::pcie})
        for (const bool own_walkers : {false, true}) {
            gpu::multi_gpu_spec s = small_gpus(4);
            s.gpu.network = gpu::testing::network_of(how);
            machine m(translated(s, own_walkers));
            contended k(m);
            page_mover mover(m, k.c.process(), k.x.address(), 2 * contended::pages, 1 + (own_walkers ? 1 : 0));
            mover.start();
            m.run(k.work());
            k.expect_results();
            moved += mover.moved();
            held += mover.held();
            std::uint64_t outdated = 0;
            for (unsigned g = 1; g <= 4; ++g)
                outdated += m.gpus.gpu(g).translation()->l2().statistics().outdated.value();
            RecordProperty("outdated", std::to_string(outdated));
        }
    EXPECT_GT(moved, 40u);
    EXPECT_GT(held, 40u);
}

std::string statistics_of(std::uint64_t seed) {
    machine m(translated(small_gpus(4), true));
    contended k(m);
    page_mover mover(m, k.c.process(), k.x.address(), 2 * contended::pages, seed);
    mover.start();
    m.run(k.work());
    m.whole.settle();
    for (const auto& row : m.statistics.rows(m.sim.events().now()))
        EXPECT_FALSE(row.unit.empty() || row.text.empty()) << row.path;
    std::ostringstream out;
    m.statistics.write_csv(out, m.sim.events().now());
    return out.str();
}

TEST(moving_pages, the_same_run_gives_the_same_statistics_and_those_of_translation_move) {
    const std::string once = statistics_of(5);
    EXPECT_EQ(once, statistics_of(5));
    EXPECT_NE(once, statistics_of(6));
    for (const char* part : {"iommu.walks", "iommu.reads", "gpu1.l2_tlb.", "gpu1.gmmu.", "gpu1.cu0.l1_tlb.",
                             "shootdowns.latency", "host_memory.reads", "host_link.requests", "gpu1.cp.shootdowns"})
        EXPECT_THAT(once, HasSubstr(part));
}

}  // namespace
