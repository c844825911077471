// SPDX-License-Identifier: Apache-2.0
// Random traffic through a path block against a model of single bytes that permits exactly what the rules permit: a
// write over PCIe takes effect at some moment between its arrival and the end of the next flush or of its time; a read
// gives a value that memory had at some moment since the last flush.
#include <gmock/gmock.h>

#include <algorithm>

#include "ppb_node.h"

using namespace contraflow;
using namespace contraflow::gpu;
using core::sim_time;
using gpu::testing::ppb_node;
using gpu::testing::requester;
using gpu::testing::small_ppb;

namespace {

constexpr std::uint64_t words = 96;  // of 8 bytes, in 12 lines

// All that has been written to one word. A value is its number.
class word_history {
public:
    word_history() { writes_.push_back({0, {}, {}, true}); }

    // A store of the GPU takes effect at once.
    void stored(std::uint64_t value, sim_time now) { writes_.push_back({value, now, now, true}); }
    // A write over PCIe was started, at the earliest then; its end is not known.
    void started(std::uint64_t value, sim_time now) { writes_.push_back({value, now, sim_time::never(), false}); }
    // All writes over PCIe that were started before have taken effect by now.
    void settled(sim_time now, std::uint64_t up_to) {
        for (entry& e : writes_)
            if (!e.store && e.value <= up_to) e.latest = std::min(e.latest, now);
    }
    // Whether memory may have held the value at some moment in [since, now].
    bool permits(std::uint64_t value, sim_time since, sim_time now) const {
        const auto it = std::find_if(writes_.begin(), writes_.end(), [&](const entry& e) { return e.value == value; });
        if (it == writes_.end() || it->earliest > now) return false;
        // No other write came surely after it and surely before `since`. Those of one source keep their order.
        return std::none_of(writes_.begin(), writes_.end(), [&](const entry& o) {
            if (&o == &*it || o.latest > since) return false;
            const bool in_order = o.store == it->store && o.value > it->value;
            return in_order || (o.store != it->store && o.earliest >= it->latest);
        });
    }

private:
    struct entry {
        std::uint64_t value = 0;
        sim_time earliest{}, latest{};
        bool store = false;
    };
    std::vector<entry> writes_;
};

struct outcome {
    std::uint64_t reads = 0, stale = 0, early = 0;
    std::uint64_t wrong = 0;
    std::uint64_t statistics = 0;  // a digest of all
};

std::uint64_t digest(const observe::statistics& all, sim_time end) {
    std::uint64_t sum = 0;
    for (const auto& r : all.rows(end)) sum = core::mix64(sum + static_cast<std::uint64_t>(r.value * 1000));
    return sum;
}

outcome play(ppb_spec s, std::uint64_t seed, unsigned steps) {
    s.seed = seed;
    ppb_node n(s);
    core::random_source draw(seed);
    std::vector<word_history> history(words);
    std::uint64_t value = 0;
    sim_time since{};  // the end of the last flush that was awaited
    struct asked {
        requester::job* job;
        std::uint64_t first, count;
        sim_time since;
        bool checked = false;
    };
    std::vector<asked> reads;
    outcome o;
    const auto now = [&] { return n.sim.events().now(); };
    const auto check_reads = [&] {
        for (asked& a : reads) {
            if (a.checked || a.job->finished == sim_time{}) continue;
            a.checked = true;
            for (std::uint64_t i = 0; i < a.count; ++i) {
                const auto got = core::load_le<std::uint64_t>(a.job->bytes.data() + 8 * i);
                ++o.reads;
                o.stale += got != n.load(8 * (a.first + i));
                if (!history[a.first + i].permits(got, a.since, a.job->finished)) {
                    ++o.wrong;
                    ADD_FAILURE() << "word " << a.first + i << " gave " << got << " at " << core::to_text(now());
                }
            }
        }
    };
    for (unsigned step = 0; step < steps; ++step) {
        const std::uint64_t first = draw.below(words);
        switch (draw.below(12)) {
        case 0:
        case 1:
        case 2: {  // a write of some words
            const std::uint64_t count = std::min(words - first, draw.below(4) == 0 ? 1 + draw.below(20) : 1);
            std::vector<std::uint8_t> bytes(8 * count);
            for (std::uint64_t i = 0; i < count; ++i) {
                core::store_le<std::uint64_t>(bytes.data() + 8 * i, ++value);
                history[first + i].started(value, now());
            }
            n.nic().write(n.bus(8 * first), bytes);
            break;
        }
        case 3:
        case 4:
            n.store(8 * first, ++value);
            history[first].stored(value, now());
            break;
        case 5:
        case 6:
        case 7:
        case 8: {
            const std::uint64_t count = std::min(words - first, draw.below(4) == 0 ? 1 + draw.below(20) : 1);
            auto& job = static_cast<requester::job&>(n.nic().read(n.bus(8 * first), 8 * count));
            reads.push_back({&job, first, count, since});
            break;
        }
        case 9:
            if (draw.below(4) != 0) break;
            {  // a flush over PCIe, awaited by a read behind it
                n.fence();
                const std::uint64_t written = value;
                sim_time last = now();  // at which it had not ended
                const std::uint64_t ended = n.ppb().statistics().flushes.value();
                auto& job = static_cast<requester::job&>(n.nic().read(n.control_register(ppb_register::flushes), 8));
                while (job.finished == sim_time{}) {
                    n.run_for(sim_time::from_ns(20));
                    if (n.ppb().statistics().flushes.value() == ended) last = now();
                }
                check_reads();
                since = last;  // no copy in the read cache is older
                for (word_history& h : history) h.settled(now(), written);
            }
            break;
        default: n.run_for(sim_time::from_ns(draw.below(400))); break;
        }
        check_reads();
    }
    n.fence();
    n.sim.run();
    check_reads();
    for (const asked& a : reads) EXPECT_TRUE(a.checked);
    for (word_history& h : history) h.settled(now(), value);
    for (std::uint64_t w = 0; w < words; ++w)
        if (!history[w].permits(n.load(8 * w), now(), now())) {
            ++o.wrong;
            ADD_FAILURE() << "word " << w << " is " << n.load(8 * w) << " at the end";
        }
    n.expect_clean();
    o.statistics = digest(n.statistics, now());
    return o;
}

ppb_spec shape(unsigned kind) {
    ppb_spec s = small_ppb();
    s.order = kind % 2 == 0 ? drain_order::random : drain_order::arrival;
    s.drain_after = sim_time::from_ns(kind % 3 == 0 ? 100 : kind % 3 == 1 ? 3000 : 0);
    s.combiner = kind % 5 == 0 ? 1 : 6;
    s.writes = kind % 4 == 0 ? 1 : 8;
    s.fills = kind % 3 == 1 ? 1 : 8;
    s.reads = kind % 7 == 3 ? 1 : 16;
    s.read_cache = {kind % 2 == 1 ? 64u : 512u};
    s.ways = kind % 2 == 1 ? 1 : 2;
    s.read_latency = {1 + kind * 5};
    return s;
}

TEST(path_block_random, every_read_and_the_memory_at_the_end_are_permitted) {
    std::uint64_t reads = 0, stale = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const outcome o = play(shape(static_cast<unsigned>(seed)), seed, 600);
        ASSERT_EQ(o.wrong, 0u) << "seed " << seed;
        reads += o.reads;
        stale += o.stale;
    }
    EXPECT_GT(reads, 10'000u);
    EXPECT_GT(stale, reads / 50);  // what is permitted is also seen
}

TEST(path_block_random, the_same_seed_gives_the_same_statistics) {
    for (const std::uint64_t seed : {1u, 6u, 10u})
        EXPECT_EQ(play(shape(static_cast<unsigned>(seed)), seed, 300).statistics,
                  play(shape(static_cast<unsigned>(seed)), seed, 300).statistics);
    EXPECT_NE(play(shape(2), 2, 300).statistics, play(shape(2), 8, 300).statistics);
}

}  // namespace
