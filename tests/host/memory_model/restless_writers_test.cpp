// SPDX-License-Identifier: Apache-2.0
// A migration never loses a write: every GPU stores and adds to words of every page without a pause, until each page
// has moved a few times, on every network, by either granularity, through the second level or past it, with walkers of
// the GPUs' own or without, in the smallest buffers.
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "host/migration/migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::kernel;
using gpu::network_kind;
using gpu::of_links;
using gpu::wave;
using net::topology;

// All threads add to the first half of each page; in the second half each thread has its own word.
struct restless_writers final : migration::move_observer_if {
    static constexpr std::uint32_t gpus = 4, ctas_a_gpu = 3, pages = 3, page = 1024, moves_each = 4;
    migrating_machine& m;
    const gpu::array<std::uint32_t> x;
    command_queue& q;
    std::vector<std::uint32_t> expected = std::vector<std::uint32_t>(pages * page);
    std::array<std::uint32_t, pages> moves{};
    std::array<std::uint64_t, gpus> writes{}, before{};
    std::array<std::uint32_t, gpus> wrote_during_a_move{};
    std::uint64_t wrong = 0;

    explicit restless_writers(migrating_machine& on)
        : m(on),
          x(m.c.allocate<std::uint32_t>(pages * page)),
          q(m.c.create_queue()) {
        m.mover().set_observer(this);
    }
    void page_moved(const move_record& r) override {
        if (!r.failed && r.kind != move_kind::duplicate) ++moves[(r.page.address - x.address()) / 4096];
        for (std::uint32_t g = 0; g < gpus; ++g)
            wrote_during_a_move[g] += writes[g] != std::exchange(before[g], writes[g]) ? 1 : 0;
    }
    bool enough() const {
        return std::all_of(moves.begin(), moves.end(), [](std::uint32_t n) { return n >= moves_each; });
    }
    kernel write(wave w) {
        const auto me = static_cast<std::uint32_t>(w.cta());
        const auto thread = w.thread_ids();
        std::array<gpu::per_thread<std::uint32_t>, pages> last{};
        for (std::uint32_t r = 1; r < 500 && !enough(); ++r)
            for (std::uint32_t n = 0; n < pages; ++n) {
                const std::uint32_t p = (n + me) % pages, own = p * page + page / 2 + me * 32;
                const auto seen = co_await w.load(x, thread + own);
                wrong += (seen != last[p]).count();
                // A whole line, and half of it again before the first store is answered.
                last[p] = thread + r * 100;
                co_await w.store(x, thread + own, last[p]);
                const gpu::mask odd(0xaaaaaaaa);
                last[p].assign(odd, last[p] + 7);
                co_await w.store(x, thread + own, last[p], odd);
                for (unsigned i = 0; i < gpu::default_wave_width; ++i) expected[own + i] = last[p][i];
                const auto shared = gpu::per_thread<std::uint32_t>(p * page + (thread * 37 + r * 11) % (page / 2));
                for (unsigned i = 0; i < 4; ++i) ++expected[shared[i]];
                co_await w.atomic_add(x, shared, 1, gpu::mask::first(4));
                writes[me / ctas_a_gpu] += 3;
            }
    }
    gpu::host_task work() { co_await q.launch({"write", ctas_a_gpu * gpus, 32, this, &restless_writers::write}); }
};

class every_way : public ::testing::TestWithParam<network_kind> {};
INSTANTIATE_TEST_SUITE_P(networks, every_way, ::testing::ValuesIn(gpu::testing::all_networks),
                         [](const auto& p) { return gpu::testing::name_of(p.param); });

TEST_P(every_way, no_write_is_lost_while_pages_move) {
    for (const granularity how : {granularity::page, granularity::whole})
        for (const bool through_l2 : {false, true})
            for (const bool own_walkers : {false, true})
                for (const bool copies : {false, true})
                    for (const policy_kind policy : {policy_kind::always, policy_kind::access_count}) {
                        if (copies && policy != policy_kind::always) continue;  // counters see no reads and writes
                        SCOPED_TRACE(fmt::format("{}{}{}{}", how == granularity::page ? "page" : "whole",
                                                 through_l2 ? ", through L2" : "", own_walkers ? ", own walkers" : "",
                                                 copies ? ", copies" : ""));
                        auto s = tight(migrating(translated(small_gpus(4), own_walkers), policy));
                        s.gpus.translation.l1.ways = 4;
                        s.gpus.gpu.network = gpu::testing::tiny_network(GetParam());
                        s.gpus.gpu.l1.ways = 4;
                        s.gpus.gpu.l1.size = {4 * 128};
                        s.gpus.gpu.l2.bank.size = {4 * 128};
                        s.gpus.migration.through_l2 = through_l2;
                        s.migration.granularity = how;
                        s.migration.read_duplication = copies;
                        migrating_machine m(s);
                        restless_writers k(m);
                        m.run(k.work());
                        EXPECT_TRUE(k.enough()) << k.moves[0] << " " << k.moves[1] << " " << k.moves[2];
                        EXPECT_EQ(k.wrong, 0u);
                        for (const std::uint32_t n : k.wrote_during_a_move) EXPECT_GE(n, restless_writers::moves_each);
                        EXPECT_EQ(m.contents(k.x), k.expected);
                        m.expect_clean();
                    }
}

}  // namespace
