// SPDX-License-Identifier: Apache-2.0
// The contract of every component with state, for those that translate addresses: a TLB, the IOMMU with walks of both
// kinds, and a GPU's own walkers, in the middle of the requests of three units.
#include <functional>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/translation/gmmu.h"
#include "iommu_machine.h"
#include "memory/vm/tlb.h"
#include "observe/watchdog.h"

namespace {

using namespace contraflow;
using namespace contraflow::host::testing;
using core::control_verb;
using memory::stage;
using memory::testing::known_pages;
using memory::testing::translation_requester;

enum class kind { tlb, iommu_fixed, iommu_memory, gmmu };
std::string name_of(kind k) {
    static constexpr std::array names{"tlb", "iommu_fixed", "iommu_memory", "gmmu"};
    return names[static_cast<std::size_t>(k)];
}
void PrintTo(kind k, std::ostream* out) { *out << name_of(k); }

// The even pages out of 64 are in the memory of the GPU whose walkers are tested.
class subject {
public:
    subject(kind k, memory::testing::bench& b, const memory::radix_table& table, memory::translation_server& below,
            const memory::address_map& map, bool tight) {
        memory::walk_spec walks;
        walks.kind = k == kind::iommu_fixed ? walk_kind::fixed : walk_kind::memory;
        if (tight) walks.walkers = walks.queue = walks.cached = 2;
        if (k == kind::tlb) {
            memory::tlb_spec s;
            s.sets = s.ways = tight ? 1 : 4;
            s.level = stage::l2_tlb;
            if (tight) s.mshrs = s.queue = s.mshr_targets = 2;
            tlb_ = std::make_unique<memory::tlb>("tested", b.shared, s, below);
            set(*tlb_, tlb_->levels_above());
        } else if (k == kind::gmmu) {
            gpu::gmmu::spec s;
            s.walks = walks;
            if (tight) s.forwards = 1;
            gmmu_ = std::make_unique<gpu::gmmu>("tested", b.shared, s, ns(1), table, map, 1, below);
            set(*gmmu_, gmmu_->requests());
        } else {
            host::iommu::spec s;
            s.walks = walks;
            iommu_ = std::make_unique<host::iommu>("tested", b.shared, s, ns(1), table);
            set(*iommu_, iommu_->requests());
        }
    }
    memory::translation_server* asked = nullptr;
    core::controllable_if* control = nullptr;
    core::waiter_if* waiter = nullptr;
    memory::request_port* walk_port() { return gmmu_ ? gmmu_->walk_port() : iommu_ ? iommu_->walk_port() : nullptr; }
    bool idle() const { return tlb_ ? tlb_->idle() : gmmu_ ? gmmu_->idle() : iommu_->idle(); }
    void check(observe::conservation& c) const {
        if (tlb_) tlb_->check(c);
        if (gmmu_) gmmu_->check(c);
        if (iommu_) iommu_->check(c);
    }

private:
    template <class Tested> void set(Tested& t, memory::translation_server& requests) {
        asked = &requests;
        control = &t;
        waiter = &t;
    }
    std::unique_ptr<memory::tlb> tlb_;
    std::unique_ptr<gpu::gmmu> gmmu_;
    std::unique_ptr<host::iommu> iommu_;
};

struct questions : memory::testing::bench {
    static constexpr std::uint64_t pages = 64;

    explicit questions(kind k, bool tight = false, std::uint64_t seed = 1, unsigned each = 300)
        : home("home", shared, memory::dram_spec{}),
          bytes(home),
          table(bytes, table_base, {256 * page_bytes}),
          below(sim.events(), ns(100), tight ? 1 : 1000),
          tested(k, *this, table, below.requests(), map, tight),
          draw(seed) {
        for (std::uint64_t n = 0; n < pages; ++n) {
            const auto page = page_at(n * page_bytes, place_of(n));
            table.map(0, page);
            below.put(0, page);
        }
        table.map(0, page_at(pages * page_bytes, 0, memory::page_bits_4k, access_rights::read));
        if (tested.walk_port() != nullptr)
            connect(*tested.walk_port(), home.up());
        else
            connect((nobody = std::make_unique<memory::testing::probe>("nobody", *this))->port, home.up());
        for (unsigned i = 0; i < 3; ++i)
            units.push_back(std::make_unique<translation_requester>(sim.events(), *tested.asked));
        ask(each);
    }
    std::uint64_t place_of(std::uint64_t n) const { return (n % 2 == 0 ? map.base(1) : map.base(0)) + n * page_bytes; }
    void ask(unsigned each) {
        for (unsigned i = 0; i < each; ++i)
            for (const auto& u : units) u->ask(draw() % pages * page_bytes + draw() % page_bytes, draw() % 2 == 0);
    }
    bool done() const {
        return std::all_of(units.begin(), units.end(), [](const auto& u) { return u->done() == u->all().size(); });
    }
    void expect_answers(std::size_t from = 0) {
        for (const auto& u : units)
            for (std::size_t i = from; i < u->all().size(); ++i) {
                const auto& a = u->all()[i];
                ASSERT_TRUE(a.done) << i;
                ASSERT_EQ(a.physical(), place_of(a.address / page_bytes) + a.address % page_bytes);
            }
        expect_silence();
        EXPECT_TRUE(tested.idle());
        EXPECT_EQ(payloads.in_flight(), 0u);
        observe::conservation checks;
        tested.check(checks);
        EXPECT_FALSE(checks.checks().empty());
        EXPECT_TRUE(checks.held());
    }
    void reset() {
        for (const auto& u : units) u->reset();
        ASSERT_TRUE(tested.control->control(control_verb::reset));
        ASSERT_TRUE(home.control(control_verb::reset));
        below.reset();
        for (const auto& c : checkers) c->reset();
    }

    std::unique_ptr<memory::testing::probe> nobody;
    memory::dram home;
    bytes_of bytes;
    memory::radix_table table;
    memory::address_map map{2, core::bytes{1u << 20}};
    known_pages below;
    subject tested;
    std::mt19937_64 draw;
    std::vector<std::unique_ptr<translation_requester>> units;
};

class translation_contract : public ::testing::TestWithParam<kind> {};
INSTANTIATE_TEST_SUITE_P(all, translation_contract,
                         ::testing::Values(kind::tlb, kind::iommu_fixed, kind::iommu_memory, kind::gmmu),
                         [](const auto& p) { return name_of(p.param); });

TEST_P(translation_contract, answers_everything_with_much_room_and_with_hardly_any) {
    for (const bool tight : {false, true}) {
        questions q(GetParam(), tight);
        q.sim.run();
        q.expect_answers();
    }
}

// The requester checks with every answer that the stages of a request sum to its latency.
TEST_P(translation_contract, has_a_stage_of_its_own_in_what_a_question_takes) {
    questions q(GetParam());
    q.sim.run();
    static constexpr std::array own{stage::l2_tlb, stage::iommu, stage::page_walk, stage::page_walk};
    core::sim_time sum{};
    for (const auto& u : q.units)
        for (const auto& a : u->all()) sum += a.life.spent(own[static_cast<std::size_t>(GetParam())]);
    EXPECT_GT(sum.ps, 0u);
}

TEST_P(translation_contract, paused_it_stands_still_and_drained_it_has_nothing_under_way) {
    for (const bool tight : {false, true})
        for (const control_verb verb : {control_verb::pause, control_verb::drain}) {
            questions q(GetParam(), tight);
            q.sim.run_until(ns(333));
            ASSERT_FALSE(q.done());
            ASSERT_TRUE(q.tested.control->control(verb));
            q.sim.run();
            EXPECT_FALSE(q.done());
            EXPECT_EQ(q.tested.idle(), verb == control_verb::drain);
            std::vector<core::wait_edge> edges;
            q.tested.waiter->report_waits(edges);
            EXPECT_THAT(edges, ::testing::Contains(::testing::Field(&core::wait_edge::resource, "to be enabled")));
            ASSERT_TRUE(q.tested.control->control(control_verb::enable));
            q.sim.run();
            q.expect_answers();
        }
}

TEST_P(translation_contract, reset_in_mid_traffic_leaks_nothing_and_all_works_again) {
    for (const std::uint64_t at : {3u, 150u, 333u, 700u})
        for (const bool tight : {false, true}) {
            questions q(GetParam(), tight);
            q.sim.run_until(ns(at));
            ASSERT_FALSE(q.done());
            q.reset();
            EXPECT_EQ(q.payloads.in_flight(), 0u);
            EXPECT_TRUE(q.tested.idle());
            std::uint64_t answered = 0;
            for (const auto& u : q.units) answered += u->done();
            q.sim.run();  // callbacks armed before must do nothing
            for (const auto& u : q.units) answered -= u->done();
            EXPECT_EQ(answered, 0u);
            q.ask(50);
            q.sim.run();
            q.expect_answers(300);
        }
}

TEST_P(translation_contract, what_it_invalidates_in_mid_traffic_it_asks_for_again_and_there_is_nothing_to_write_back) {
    questions q(GetParam(), false, 1, 1000);
    for (unsigned i = 1; i < 20 && !q.done(); ++i) {
        q.sim.run_until(ns(100 * i));
        EXPECT_TRUE(q.tested.control->control(control_verb::invalidate));
        EXPECT_FALSE(q.tested.control->control(control_verb::flush));
    }
    q.sim.run();
    q.expect_answers();
}

TEST_P(translation_contract, the_same_seed_gives_the_same_statistics) {
    const auto run = [](std::uint64_t seed) {
        questions q(GetParam(), true, seed);
        q.sim.run();
        std::ostringstream out;
        q.statistics.write_csv(out, q.sim.events().now());
        return out.str();
    };
    const std::string once = run(3);
    EXPECT_EQ(once, run(3));
    if (GetParam() != kind::iommu_fixed) { EXPECT_NE(once, run(4)); }  // all its walks take the same time
}

TEST_P(translation_contract, every_statistic_is_described_and_moves) {
    std::set<std::string> still{"tested.holds", "tested.outdated"};  // nothing holds a page, and no page moves
    if (GetParam() == kind::iommu_fixed)
        still.merge(std::set<std::string>{"tested.reads", "tested.cache_hits", "tested.repeated"});
    if (GetParam() == kind::gmmu || GetParam() == kind::tlb) still.insert("tested.faults");
    std::set<std::string> all, moved;
    for (const bool tight : {false, true}) {
        questions q(GetParam(), tight);
        q.units[0]->ask(questions::pages * page_bytes, true);  // for reading only, and so a fault
        q.units[0]->ask(std::uint64_t{1} << 40);
        q.sim.run_until(ns(500));
        q.tested.control->control(control_verb::invalidate);
        q.sim.run();
        for (const auto& row : q.statistics.rows(q.sim.events().now())) {
            EXPECT_FALSE(row.unit.empty() || row.text.empty()) << row.path;
            if (!row.path.starts_with("tested.")) continue;
            all.insert(row.path);
            if (row.value != 0) moved.insert(row.path);
        }
    }
    EXPECT_GT(all.size(), 7u);
    for (const auto& path : all) EXPECT_TRUE(moved.contains(path) || still.contains(path)) << path;
}

TEST_P(translation_contract, what_never_answers_below_it_the_watchdog_names) {
    if (GetParam() == kind::iommu_fixed) return;  // there is no level below
    questions q(GetParam(), true);
    q.below.open = false;
    if (GetParam() == kind::iommu_memory) q.home.control(control_verb::pause);
    observe::watchdog dog(q.sim, core::sim_time::from_us(10));
    dog.watch(*q.tested.waiter);
    dog.set_outstanding([&] { return q.done() ? 0u : 1u; });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::ran_dry);
    const std::string deaf = GetParam() == kind::iommu_memory ? "check0" : "known_pages";
    EXPECT_THAT(dog.wait_chain(), ::testing::Contains(::testing::HasSubstr("of " + deaf)));
    q.reset();
}

}  // namespace
