// SPDX-License-Identifier: Apache-2.0
// Outcomes that the memory model forbids between wavefronts never occur, and those that it allows do: without a fence,
// with copies in first-level caches, with overlapping accesses. Each test on all networks, with pages that stay
// and with pages that move all the time.
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "litmus.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::network_kind;
using gpu::of_links;
using net::topology;

constexpr unsigned x = 0, y = 1;
constexpr litmus_step fence{};
constexpr litmus_step store(unsigned word, std::uint32_t v) { return {litmus_op::store, word, v}; }
constexpr litmus_step load(unsigned word) { return {litmus_op::load, word, 0}; }
constexpr litmus_step uncached(unsigned word) { return {litmus_op::uncached, word, 0}; }
constexpr litmus_step until_set(unsigned word) { return {litmus_op::until_set, word, 0}; }
constexpr litmus_step exchange(unsigned word, std::uint32_t v) { return {litmus_op::exchange, word, v}; }
// Loads the word, stores to the other one.
constexpr litmus_step both(unsigned word, std::uint32_t v) { return {litmus_op::load_and_store, word, v}; }

bool one_zero(const litmus_outcome& o) { return o.saw[0] == 1 && o.saw[1] == 0; }
bool zero_zero(const litmus_outcome& o) { return o.saw[0] == 0 && o.saw[1] == 0; }
bool one_one(const litmus_outcome& o) { return o.saw[0] == 1 && o.saw[1] == 1; }
bool ends_one_one(const litmus_outcome& o) { return o.end[x] == 1 && o.end[y] == 1; }

using test = litmus_test;

// Message passing: y says that x is written.
const std::vector<test> message_passing{
    {"MP, fence, uncached", {{store(x, 1), fence, store(y, 1)}, {until_set(y), uncached(x)}}, one_zero},
    {"MP, fence, atomic flag",
     {{store(x, 1), fence, exchange(y, 1)}, {exchange(y, 0), uncached(x)}},
     [](const litmus_outcome& o) { return o.saw[1] == 1 && o.saw[2] == 0; }},
    {"MP, atomics, without fence",
     {{exchange(x, 1), exchange(y, 1)}, {until_set(y), uncached(x)}},
     [](const litmus_outcome& o) { return o.saw[2] == 1 && o.saw[3] == 0; }},
    {"MP, without fence",
     {{store(x, 1), store(y, 1)}, {until_set(y), uncached(x)}},
     one_zero,
     test::seen_in_moves,
     false,
     12},
    {"MP, fence, copies", {{store(x, 1), fence, store(y, 1)}, {until_set(y), load(x)}}, one_zero, test::seen, true},
    {"MP, fence, copies are passed by",
     {{store(x, 1), fence, store(y, 1)}, {until_set(y), uncached(x)}},
     one_zero,
     test::forbidden,
     true},
    {"WRC, uncached",
     {{store(x, 1)}, {until_set(x), store(y, 1)}, {until_set(y), uncached(x)}},
     [](const litmus_outcome& o) { return o.saw[0] == 1 && o.saw[1] == 1 && o.saw[2] == 0; }},
    {"WRC, copies",
     {{store(x, 1)}, {until_set(x), store(y, 1)}, {until_set(y), load(x)}},
     [](const litmus_outcome& o) { return o.saw[0] == 1 && o.saw[1] == 1 && o.saw[2] == 0; },
     test::seen,
     true},
};

const std::vector<test> buffering{
    {"SB, fences", {{store(x, 1), fence, uncached(y)}, {store(y, 1), fence, uncached(x)}}, zero_zero},
    {"SB, atomics",
     {{exchange(x, 1), uncached(y)}, {exchange(y, 1), uncached(x)}},
     [](const litmus_outcome& o) { return o.saw[1] == 0 && o.saw[3] == 0; }},
    {"SB, without fences",
     {{store(x, 1), uncached(y)}, {store(y, 1), uncached(x)}},
     zero_zero,
     test::seen_in_moves,
     false,
     3},
    {"SB, fences, copies", {{store(x, 1), fence, load(y)}, {store(y, 1), fence, load(x)}}, zero_zero, test::seen, true},
    {"LB", {{uncached(x), store(y, 1)}, {uncached(y), store(x, 1)}}, one_one},
    {"LB, copies", {{load(x), store(y, 1)}, {load(y), store(x, 1)}}, one_one},
    {"LB, under way together", {{both(x, 1)}, {both(y, 1)}}, one_one, test::seen_in_moves},
    {"2+2W, fences", {{store(x, 1), fence, store(y, 2)}, {store(y, 1), fence, store(x, 2)}}, ends_one_one},
    {"2+2W, without fences",
     {{store(x, 1), store(y, 2)}, {store(y, 1), store(x, 2)}},
     ends_one_one,
     test::seen_in_moves,
     false,
     3},
    {"IRIW, uncached",
     {{store(x, 1)}, {store(y, 1)}, {uncached(x), uncached(y)}, {uncached(y), uncached(x)}},
     [](const litmus_outcome& o) { return one_zero(o) && o.saw[2] == 1 && o.saw[3] == 0; }},
    {"IRIW, copies",
     {{store(x, 1)}, {store(y, 1)}, {uncached(x), load(y)}, {uncached(y), load(x)}},
     [](const litmus_outcome& o) { return one_zero(o) && o.saw[2] == 1 && o.saw[3] == 0; },
     test::seen,
     true},
};

// One word is coherent under all kinds of access, without any fence.
const std::vector<test> coherence{
    {"CoRR", {{store(x, 1)}, {uncached(x), uncached(x)}}, one_zero},
    {"CoRR, loads", {{store(x, 1)}, {load(x), load(x)}}, one_zero},
    {"CoRR, copies", {{store(x, 1)}, {load(x), load(x)}}, one_zero, test::forbidden, true},
    {"CoRR, uncached and a copy", {{store(x, 1)}, {uncached(x), load(x)}}, one_zero, test::forbidden, true},
    {"CoRR, a load and uncached", {{store(x, 1)}, {load(x), uncached(x)}}, one_zero, test::forbidden, true},
    {"CoRR, an atomic and a copy",
     {{store(x, 1)}, {exchange(x, 2), load(x)}},
     [](const litmus_outcome& o) { return o.saw[1] == 0 || (o.saw[0] == 1 && o.saw[1] == 1); },
     test::forbidden,
     true},
    {"CoWW",
     {{store(x, 1), store(x, 2)}, {uncached(x), uncached(x)}},
     [](const litmus_outcome& o) { return o.end[x] != 2 || o.saw[0] > o.saw[1]; }},
    {"CoWW, copies",
     {{store(x, 1), store(x, 2)}, {load(x), load(x)}},
     [](const litmus_outcome& o) { return o.end[x] != 2 || o.saw[0] > o.saw[1]; },
     test::forbidden,
     true},
    {"CoWR",
     {{store(x, 1), uncached(x)}, {store(x, 2)}},
     [](const litmus_outcome& o) { return o.saw[0] == 0 || (o.saw[0] == 2 && o.end[x] == 1); }},
    {"CoWR, copies",
     {{store(x, 1), load(x)}, {store(x, 2)}},
     [](const litmus_outcome& o) { return o.saw[0] == 0 || (o.saw[0] == 2 && o.end[x] == 1); },
     test::forbidden,
     true},
    {"CoRW",
     {{uncached(x), store(x, 1)}, {store(x, 2)}},
     [](const litmus_outcome& o) { return o.saw[0] == 1 || (o.saw[0] == 2 && o.end[x] == 2); }},
    {"atomic operations are one",
     {{exchange(x, 1)}, {exchange(x, 2)}},
     [](const litmus_outcome& o) {
         return !(o.saw[0] == 0 && o.saw[1] == 1 && o.end[x] == 2) &&
                !(o.saw[0] == 2 && o.saw[1] == 0 && o.end[x] == 1);
     }},
    {"an old copy is seen",
     {{store(x, 1), fence, exchange(y, 1)}, {exchange(y, 0), load(x)}},
     [](const litmus_outcome& o) { return o.saw[1] == 1 && o.saw[2] == 0; },
     test::seen,
     true,
     3},
};

enum class pages { stay, move, are_copied };

unified_machine::spec machine_of(network_kind network, pages p, unsigned variant) {
    auto s = migrating(translated(small_gpus(4), variant % 2 == 1),
                       p == pages::stay ? policy_kind::never : policy_kind::always);
    s.gpus.gpu.network = variant % 2 == 0 ? gpu::testing::network_of(network) : gpu::testing::tiny_network(network);
    s.gpus.migration.through_l2 = variant % 2 == 1;
    s.migration.granularity = network == of_links(topology::ring) || network == of_links(topology::fully_connected)
                                  ? granularity::whole
                                  : granularity::page;
    s.gpus.translation.l1.ways = 4;
    s.migration.read_duplication = p == pages::are_copied;
    return s;
}

void expect_outcomes(const std::vector<litmus_test>& tests, unsigned times) {
    std::vector<std::array<std::array<std::uint64_t, litmus_distances>, 3>> weak(tests.size());
    unsigned variant = 0;
    for (const pages p : {pages::stay, pages::move, pages::are_copied})
        for (const network_kind network : gpu::testing::all_networks) {
            SCOPED_TRACE(gpu::testing::name_of(network));
            migrating_machine m(machine_of(network, p, variant++));
            litmus_run l(m, tests, times, variant);
            m.run(l.run());
            m.expect_clean();
            if (p != pages::stay) { EXPECT_GT(m.counts().moved.value() + m.counts().duplicated.value(), 2 * times); }
            for (unsigned t = 0; t < tests.size(); ++t)
                for (unsigned d = 0; d < litmus_distances; ++d) {
                    const std::uint64_t n = l.weak(t, static_cast<litmus_distance>(d));
                    weak[t][static_cast<std::size_t>(p)][d] += n;
                    if (tests[t].is == litmus_test::forbidden) { EXPECT_EQ(n, 0u) << tests[t].name; }
                }
        }
    for (unsigned t = 0; t < tests.size(); ++t) {
        if (tests[t].is == litmus_test::forbidden) continue;
        std::string all;
        for (const auto& by_distance : weak[t])
            for (const std::uint64_t n : by_distance) all += fmt::format(" {}", n);
        ::testing::Test::RecordProperty("seen_" + std::to_string(t), tests[t].name + ":" + all);
        const auto sum = [&](pages p) {
            const auto& n = weak[t][static_cast<std::size_t>(p)];
            return n[0] + n[1] + n[2];
        };
        EXPECT_GT(sum(pages::stay), 0u) << tests[t].name;
        if (tests[t].is == litmus_test::seen_in_moves) { EXPECT_GT(sum(pages::move), 0u) << tests[t].name; }
    }
}

TEST(litmus, message_passing) { expect_outcomes(message_passing, 12); }
TEST(litmus, buffering) { expect_outcomes(buffering, 12); }
TEST(litmus, coherence_of_one_word) { expect_outcomes(coherence, 10); }

// The narrowest scope and the widest one: plain loads find the stores of a wavefront of the CTA before a barrier, and
// those of a kernel that has ended, although there are older copies.
struct scopes {
    static constexpr std::uint32_t n = 64 * 32;  // words of eight CTAs; each CTA has a line in several places
    migrating_machine& m;
    command_queue& q = m.c.create_queue();
    const gpu::array<std::uint32_t> a = m.c.allocate<std::uint32_t>(n);
    std::uint64_t old_after_barrier = 0, old_after_kernel = 0, rounds = 0;

    static auto words(gpu::wave w, unsigned r, std::uint64_t of) {
        return w.thread_ids() + static_cast<std::uint32_t>((r * 8 + of) % 64 * 32);
    }
    gpu::kernel barriers(gpu::wave w) {
        for (unsigned r = 0; r < 16; ++r) {
            const auto at = words(w, r, w.cta());
            if (w.wave_in_cta() != 0) co_await w.load(a, at);
            co_await w.barrier();
            if (w.wave_in_cta() == 0) co_await w.store(a, at, r + 1);
            co_await w.barrier();
            if (w.wave_in_cta() == 0) continue;
            const auto got = co_await w.load(a, at);
            old_after_barrier += (got != r + 1).count();
        }
    }
    // Reads the words of the CTA that ran on this unit in the kernel before; the unit has copies of them.
    gpu::kernel next(gpu::wave w) {
        const auto before = words(w, 0, (w.cta() + rounds) % 8);
        const auto got = co_await w.load(a, before);
        old_after_kernel += (got != rounds * 100).count();
        for (unsigned i = 0; i < 8; ++i) co_await w.load(a, words(w, 0, i));
        co_await w.barrier();  // waits for the answers to its own loads only
        co_await w.store(a, before, (rounds + 1) * 100);
    }
    gpu::host_task run() {
        co_await q.launch({"barriers", 8, 96, this, &scopes::barriers});
        const std::vector<std::uint32_t> zeros(n);
        co_await q.copy_to_device(a, zeros);
        for (; rounds < 12; ++rounds) co_await q.launch({"next", 8, 32, this, &scopes::next});
    }
};

TEST(litmus, a_barrier_for_a_cta_and_a_kernels_end_for_all) {
    unsigned variant = 0;
    for (const pages p : {pages::stay, pages::move, pages::are_copied})
        for (const network_kind network : gpu::testing::all_networks) {
            migrating_machine m(machine_of(network, p, variant++));
            scopes s{m};
            m.run(s.run());
            EXPECT_EQ(s.old_after_barrier, 0u);
            EXPECT_EQ(s.old_after_kernel, 0u);
            m.expect_clean();
        }
}

}  // namespace
