// SPDX-License-Identifier: Apache-2.0
// The IOMMU below two levels of TLBs, while pages move: no translation outlives its shootdown.
#include <map>
#include <random>

#include "iommu_machine.h"
#include "memory/vm/tlb.h"

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using namespace contraflow::memory;
using memory::testing::translation_requester;

namespace {

// A former place of a page, its first moment, and the last moment at which an answer may give it.
struct home_of_page {
    std::uint64_t physical = 0;
    core::sim_time until = core::sim_time::never();
};

// Four first-level TLBs over a second-level one over the IOMMU, while pages move.
struct moving_pages {
    static constexpr unsigned units = 4, pages = 24;

    static iommu::spec tight(walk_kind kind) {
        iommu::spec s = spec_of(kind);
        s.walks.walkers = 2;
        s.walks.queue = 2;
        return s;
    }
    moving_pages(walk_kind kind, std::uint64_t seed) : m(tight(kind)), draw(seed) {
        tlb_spec s;
        s.sets = 2;
        s.ways = 4;
        s.mshrs = 3;
        s.mshr_targets = 2;
        s.queue = 2;
        s.hit_latency = {10};
        s.level = stage::l2_tlb;
        second = std::make_unique<tlb>("l2_tlb", m.shared, s, m.tested.requests());
        s.ways = 1;
        s.hit_latency = {1};
        s.fill_latency = {10};  // so slow that a shootdown overtakes it
        s.level = stage::l1_tlb;
        for (unsigned i = 0; i < units; ++i) {
            first.push_back(
                std::make_unique<tlb>(fmt::format("l1_tlb{}", i).c_str(), m.shared, s, second->levels_above()));
            requesters.push_back(std::make_unique<translation_requester>(m.sim.events(), first[i]->levels_above()));
        }
        for (unsigned n = 0; n < pages; ++n) history[n].push_back({(1000 + n) * page_bytes});
    }
    void run() {
        for (unsigned round = 0; round < 400; ++round) {
            for (unsigned i = 0; i < 6; ++i)
                requesters[draw() % units]->ask(draw() % pages * page_bytes + draw() % page_bytes, draw() % 2 == 0);
            m.sim.run_until(m.sim.events().now() + core::sim_time{draw() % 200'000});
            if (!moving && draw() % 3 == 0) move();
        }
        m.sim.run();
    }
    void move() {
        moving = true;
        page = static_cast<unsigned>(draw() % pages);
        const std::uint64_t to = (2000 + moved++) * page_bytes;
        m.table.remap(0, page * page_bytes, to);
        history[page].push_back({to});
        which = translation_range::page(0, page * page_bytes, page_bits_4k);
        m.tested.invalidate(which,
                            {[](void* o, std::uint64_t) {
                                 auto* const self = static_cast<moving_pages*>(o);
                                 self->second->invalidate(self->which, self->m.table.epoch(), {second_done, self, 0});
                             },
                             this, 0});
    }
    static void second_done(void* o, std::uint64_t) {
        auto* const self = static_cast<moving_pages*>(o);
        self->missing = units;
        for (const auto& t : self->first) t->invalidate(self->which, self->m.table.epoch(), {first_done, self, 0});
    }
    static void first_done(void* o, std::uint64_t) {
        auto* const self = static_cast<moving_pages*>(o);
        if (--self->missing != 0) return;
        auto& homes = self->history[self->page];
        homes[homes.size() - 2].until = self->m.sim.events().now();
        self->moving = false;
    }

    iommu_machine m;
    std::mt19937_64 draw;
    std::unique_ptr<tlb> second;
    std::vector<std::unique_ptr<tlb>> first;
    std::vector<std::unique_ptr<translation_requester>> requesters;
    std::map<unsigned, std::vector<home_of_page>> history;
    bool moving = false;
    unsigned page = 0, missing = 0;
    std::uint64_t moved = 0;
    translation_range which;
};

TEST(translation, no_answer_is_older_than_an_acknowledged_shootdown) {
    for (const walk_kind kind : {walk_kind::fixed, walk_kind::memory}) {
        std::uint64_t outdated = 0, answers = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            moving_pages t(kind, seed);
            t.run();
            EXPECT_GT(t.moved, 30u);
            EXPECT_TRUE(t.second->idle());
            for (const auto& f : t.first) {
                EXPECT_TRUE(f->idle());
                outdated += f->statistics().outdated.value();
            }
            for (const auto& unit : t.requesters)
                for (const auto& a : unit->all()) {
                    ASSERT_TRUE(a.done);
                    ++answers;
                    bool good = false;
                    for (const auto& h : t.history[static_cast<unsigned>(a.address / page_bytes)])
                        good |= h.physical == a.page.physical_page && a.answered <= h.until;
                    ASSERT_TRUE(good) << "seed " << seed << ", at " << a.answered.ps;
                }
            t.m.finish();
        }
        EXPECT_EQ(answers, 5u * 2400);
        EXPECT_GT(outdated, 0u);  // the case has occurred
    }
}

TEST(translation, the_same_seed_gives_the_same_statistics) {
    const auto run = [](std::uint64_t seed) {
        moving_pages t(walk_kind::memory, seed);
        t.run();
        std::ostringstream out;
        t.m.statistics.write_csv(out, t.m.sim.events().now());
        return out.str();
    };
    const std::string once = run(3);
    EXPECT_EQ(once, run(3));
    EXPECT_NE(once, run(4));
}

TEST(translation, every_statistic_is_described_and_moves) {
    std::map<std::string, bool> moved;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        moving_pages t(seed % 2 == 0 ? walk_kind::fixed : walk_kind::memory, seed);
        recording_sink sink;
        t.m.tested.set_sink(&sink);
        t.m.table.map(0, page_at(100 * page_bytes, 0, page_bits_4k, access_rights::read));
        t.requesters[0]->ask(100 * page_bytes, true);
        t.run();
        sink.on_found = walk_verdict::hold;
        t.requesters[0]->ask(40 * page_bytes);
        t.m.sim.run();
        sink.on_found = walk_verdict::answer;
        t.m.tested.resume(translation_range::all());
        t.m.sim.run();
        for (const auto& row : t.m.statistics.rows(t.m.sim.events().now())) {
            EXPECT_FALSE(row.unit.empty()) << row.path;
            EXPECT_FALSE(row.text.empty()) << row.path;
            std::string path = row.path;
            if (path.starts_with("l1_tlb")) path.erase(6, 1);  // any of the four
            if (!path.starts_with("home")) moved[path] |= row.value != 0;
        }
        for (const auto& a : t.requesters) EXPECT_EQ(a->done(), a->all().size());
    }
    EXPECT_GT(moved.size(), 25u);
    for (const auto& [path, moves] : moved) EXPECT_TRUE(moves) << path;
}

}  // namespace
