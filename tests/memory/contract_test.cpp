// SPDX-License-Identifier: Apache-2.0
// The contract of every component with state, for a first-level cache, a bank of a second level, a memory and a
// crossbar in the middle of traffic.
#include <functional>
#include <set>
#include <sstream>

#include "config/config.h"
#include "memory/cache/cache.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/transaction/standard_target.h"
#include "memory/vm/page_table.h"
#include "memory/vm/tlb_spec.h"
#include "memory/vm/walk_spec.h"
#include "observe/watchdog.h"
#include "probe.h"
#include "random_agent.h"

using namespace contraflow;
using namespace contraflow::memory;
using core::control_verb;
using memory::testing::agent_plan;
using memory::testing::bench;
using memory::testing::probe;
using memory::testing::random_agent;
using memory::testing::reference_memory;

namespace {

enum class kind { l1, l2, memory, bar };
std::string name_of(kind k) {
    static constexpr std::array names{"l1", "l2", "memory", "crossbar"};
    return names[static_cast<std::size_t>(k)];
}
void PrintTo(kind k, std::ostream* out) { *out << name_of(k); }

struct by_granule final : address_to_port_if {
    unsigned find(std::uint64_t address) const override {
        return address >= 1u << 20 ? nowhere : static_cast<unsigned>(address / 256 % 2);
    }
    std::uint64_t span(std::uint64_t address) const override { return 256 - address % 256; }
};

// The component alone, with all its sides.
struct subject {
    by_granule routes;
    std::unique_ptr<cache> c;
    std::unique_ptr<crossbar> x;
    std::unique_ptr<dram> d;
    core::controllable_if* control = nullptr;
    core::waiter_if* waiter = nullptr;

    subject(kind k, bench& b, bool tight) {
        switch (k) {
        case kind::l1:
        case kind::l2: {
            cache_spec s;
            if (k == kind::l2) {
                s.writes = write_policy::back;
                s.atomics = atomics_at::here;
                s.covers = scope::system;
                s.level = cache_level::l2;
            }
            if (tight) {
                s.size = {1024};
                s.ways = 2;
                s.mshrs = 3;
                s.mshr_targets = 1;
                s.queue = 2;
                s.request_queue = 2;
                s.hit_latency = core::cycles{1};  // its stages hold requests, too
                s.write_backs = 1;
            }
            c = std::make_unique<cache>("tested", b.shared, s);
            control = c.get();
            waiter = c.get();
            break;
        }
        case kind::memory: {
            dram_spec s;
            s.ports = 2;
            if (tight) {
                s.size = {1u << 20};
                s.channels = 2;
                s.queue = s.write_queue = s.write_high = 2;
                s.write_low = 0;
                s.banks = 2;
                s.row = {64};
            }
            d = std::make_unique<dram>("tested", b.shared, s);
            control = d.get();
            waiter = d.get();
            break;
        }
        case kind::bar: {
            crossbar_spec s;
            s.inputs = s.outputs = 2;
            if (tight) {
                s.queue = s.response_queue = 1;
                s.latency = s.response_latency = core::cycles{1};
                s.flit = {8};
            }
            x = std::make_unique<crossbar>("tested", b.shared, s, routes);
            control = x.get();
            waiter = x.get();
            break;
        }
        }
    }
    unsigned inputs() const { return c ? 1 : 2; }
    response_port& up(unsigned i) { return c ? c->up : x ? x->up(i) : d->up(i); }
    unsigned outputs() const { return c ? 1 : x ? 2 : 0; }
    request_port& down(unsigned i) { return c ? c->down : x->down(i); }
    bool idle() const { return c ? c->idle() : x ? x->idle() : d->idle(); }
    void check(observe::conservation& to) const {
        if (c) c->check(to);
        if (x) x->check(to);
        if (d) d->check(to);
    }
};

// In the middle of traffic: requesters above, memories below.
struct traffic {
    static constexpr std::uint64_t range = 4096;
    bench b;
    subject tested;
    std::vector<std::unique_ptr<dram>> below;
    std::vector<std::unique_ptr<reference_memory>> references;
    std::vector<std::unique_ptr<random_agent>> agents;

    explicit traffic(kind k, bool tight = false, std::uint64_t requests = 1500, std::uint64_t seed = 1)
        : tested(k, b, tight) {
        for (unsigned i = 0; i < tested.outputs(); ++i) {
            dram_spec s;
            s.size = {1u << 20};
            if (tight) {
                s.channels = s.queue = s.write_queue = s.write_high = 1;
                s.write_low = 0;
                s.channel_bandwidth = core::bandwidth::from_gb_per_s(8);
            }
            below.push_back(std::make_unique<dram>(fmt::format("below{}", i).c_str(), b.shared, s));
            b.connect(tested.down(i), below[i]->up());
        }
        for (unsigned i = 0; i < tested.inputs(); ++i) {
            references.push_back(std::make_unique<reference_memory>(range));
            agent_plan plan;
            plan.requests = requests;
            plan.length = range;
            plan.base = range * i;
            plan.seed = seed * 10 + i;
            plan.bypass = 0.2;
            plan.refusal = tight ? 4 : 0;
            plan.gap_cycles = tight ? 0 : 2;
            agents.push_back(
                std::make_unique<random_agent>(fmt::format("agent{}", i).c_str(), b, *references[i], plan));
            b.connect(agents[i]->port, tested.up(i));
            agents[i]->start();
        }
    }
    bool done() const {
        return std::all_of(agents.begin(), agents.end(), [](const auto& a) { return a->done(); });
    }
    void expect_done() {
        for (const auto& a : agents) {
            EXPECT_TRUE(a->done()) << a->answered();
            EXPECT_EQ(a->wrong(), 0u);
        }
        b.expect_silence();
        EXPECT_TRUE(tested.idle());
        EXPECT_EQ(b.payloads.in_flight(), 0u);
    }
    void reset() {
        for (const auto& a : agents) a->reset();
        ASSERT_TRUE(tested.control->control(control_verb::reset));
        for (const auto& m : below) ASSERT_TRUE(m->control(control_verb::reset));
        for (const auto& c : b.checkers) c->reset();
    }
};

class contract : public ::testing::TestWithParam<kind> {};

TEST_P(contract, builds_from_its_defaults_and_answers_everything) {
    traffic t(GetParam());
    t.b.sim.run();
    t.expect_done();
    observe::conservation checks;
    t.tested.check(checks);
    EXPECT_FALSE(checks.checks().empty());
    for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name;
    EXPECT_EQ(checks.checks()[0].in, t.agents.size() * 1500);
}

TEST_P(contract, with_hardly_any_room_it_answers_everything) {
    traffic t(GetParam(), true);
    t.b.sim.run();
    t.expect_done();
}

TEST_P(contract, the_stages_of_all_requests_sum_to_their_latency) {
    traffic t(GetParam());
    t.b.sim.run();
    for (const auto& a : t.agents) {
        core::sim_time sum{};
        for (std::size_t i = 0; i < stage_count; ++i) sum += a->spent(static_cast<stage>(i));
        EXPECT_EQ(sum, a->total_latency());
        EXPECT_GT(sum.ps, 0u);
        EXPECT_EQ(a->spent(stage::coalescer).ps, 0u);
        static constexpr std::array own{stage::l1, stage::l2, stage::dram, stage::crossbar};
        EXPECT_GT(a->spent(own[static_cast<std::size_t>(GetParam())]).ps, 0u);
    }
}

TEST_P(contract, drained_it_has_nothing_under_way_and_goes_on_when_enabled) {
    for (const bool tight : {false, true}) {
        traffic t(GetParam(), tight);
        t.b.sim.run_until(core::sim_time::from_ns(700));
        ASSERT_FALSE(t.done());
        ASSERT_TRUE(t.tested.control->control(control_verb::drain));
        t.b.sim.run();
        EXPECT_TRUE(t.tested.idle());
        EXPECT_FALSE(t.done());
        ASSERT_TRUE(t.tested.control->control(control_verb::enable));
        t.b.sim.run();
        t.expect_done();
    }
}

TEST_P(contract, paused_it_stands_still_and_goes_on_where_it_was) {
    for (const bool tight : {false, true}) {
        traffic t(GetParam(), tight);
        t.b.sim.run_until(core::sim_time::from_ns(700));
        ASSERT_TRUE(t.tested.control->control(control_verb::pause));
        t.b.sim.run();
        ASSERT_FALSE(t.done());
        ASSERT_TRUE(t.tested.control->control(control_verb::enable));
        t.b.sim.run();
        t.expect_done();
    }
}

TEST_P(contract, reset_in_mid_traffic_leaks_nothing_and_all_works_again) {
    for (const std::uint64_t ns : {3u, 150u, 333u, 700u, 1001u}) {
        for (const bool tight : {false, true}) {
            traffic t(GetParam(), tight);
            t.b.sim.run_until(core::sim_time::from_ns(ns));
            ASSERT_GT(t.b.payloads.in_flight(), 0u);
            t.reset();
            EXPECT_EQ(t.b.payloads.in_flight(), 0u);
            EXPECT_TRUE(t.tested.idle());
            t.b.sim.run();  // callbacks armed before must do nothing
            EXPECT_EQ(t.b.payloads.in_flight(), 0u);
            for (std::size_t i = 0; i < t.agents.size(); ++i) {
                tlm::tlm_generic_payload look;  // a pending request may be lost
                look.set_command(tlm::TLM_READ_COMMAND);
                look.set_address(traffic::range * i);
                look.set_data_ptr(&(*t.references[i])[0]);
                look.set_data_length(traffic::range);
                ASSERT_EQ(t.agents[i]->port->transport_dbg(look), traffic::range);
                t.agents[i]->restart(300);
            }
            t.b.sim.run();
            t.expect_done();
        }
    }
}

TEST_P(contract, the_same_seed_gives_the_same_statistics) {
    const auto run = [](std::uint64_t seed) {
        traffic t(GetParam(), true, 500, seed);
        t.b.sim.run();
        std::ostringstream out;
        t.b.statistics.write_csv(out, t.b.sim.events().now());
        return out.str();
    };
    const std::string once = run(3);
    EXPECT_EQ(once, run(3));
    EXPECT_NE(once, run(4));
}

TEST_P(contract, every_statistic_is_described_and_moves) {
    // These may stay 0: nothing is invalidated, no address is invalid, a write-through cache writes nothing back.
    std::set<std::string> still{"tested.refused", "tested.invalidated", "tested.unroutable"};
    if (GetParam() == kind::l1)
        still.merge(std::set<std::string>{"tested.atomic_hits", "tested.write_backs", "tested.wait_write_back"});
    std::set<std::string> all;
    std::set<std::string> moved;
    for (const bool tight : {false, true}) {
        traffic t(GetParam(), tight, 10'000);
        t.b.sim.run();
        for (const auto& row : t.b.statistics.rows(t.b.sim.events().now())) {
            EXPECT_FALSE(row.unit.empty()) << row.path;
            EXPECT_FALSE(row.text.empty()) << row.path;
            if (!row.path.starts_with("tested.")) continue;
            all.insert(row.path);
            if (row.value != 0) moved.insert(row.path);
        }
    }
    EXPECT_GT(all.size(), 7u);
    for (const auto& path : all) EXPECT_TRUE(moved.contains(path) || still.contains(path)) << path;
}

TEST_P(contract, with_its_output_blocked_the_watchdog_names_the_blocked_port) {
    bench b;
    subject tested(GetParam(), b, true);
    std::vector<std::unique_ptr<probe>> probes;
    std::vector<std::unique_ptr<outside::target>> deaf;
    for (unsigned i = 0; i < tested.inputs(); ++i) {
        probes.push_back(std::make_unique<probe>(fmt::format("probe{}", i).c_str(), b));
        probes[i]->port.bind(tested.up(i));
        probes[i]->takes_answers = tested.outputs() > 0;
        for (unsigned n = 0; n < 40; ++n) probes[i]->read(128 * n, 128);
    }
    for (unsigned i = 0; i < tested.outputs(); ++i) {
        deaf.push_back(
            std::make_unique<outside::target>(fmt::format("deaf{}", i).c_str(), 65536, outside::manner::deaf));
        tested.down(i).bind(deaf[i]->socket);
    }
    observe::watchdog dog(b.sim, core::sim_time::from_us(10));
    dog.watch(*tested.waiter);
    dog.set_outstanding([&] { return b.payloads.in_flight(); });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::ran_dry);
    std::string told;
    for (const auto& line : dog.wait_chain()) told += line + '\n';
    const std::string port = tested.outputs() > 0 ? tested.down(0).name() : tested.up(0).name();
    EXPECT_NE(told.find(port), std::string::npos) << told;
    const std::string other_end = tested.outputs() > 0 ? "deaf" : "probe";
    EXPECT_NE(told.find(other_end), std::string::npos) << told;
    for (const auto& p : probes) p->reset();
    tested.control->control(control_verb::reset);
}

TEST_P(contract, verbs_without_meaning_are_refused) {
    traffic t(GetParam());
    const bool has_copies = GetParam() == kind::l1 || GetParam() == kind::l2;
    EXPECT_EQ(t.tested.control->control(control_verb::invalidate), has_copies);
    EXPECT_EQ(t.tested.control->control(control_verb::flush), has_copies);
    t.b.sim.run();
    t.expect_done();
}

INSTANTIATE_TEST_SUITE_P(all, contract, ::testing::Values(kind::l1, kind::l2, kind::memory, kind::bar),
                         [](const auto& tested) { return name_of(tested.param); });

template <class Spec> std::string complaint(const std::string& text) {
    config::diagnostics diag;
    const config::source file{"machine.yaml", text};
    diag.add_source(file.name, file.text);
    config::load<Spec>(file, {}, diag);
    std::ostringstream out;
    diag.print(out);
    return out.str();
}

template <class Spec> class described : public ::testing::Test {};
using specs = ::testing::Types<cache_spec, dram_spec, dram_choice, crossbar_spec, tlb_spec, walk_spec>;
TYPED_TEST_SUITE(described, specs);

TYPED_TEST(described, an_unknown_key_is_refused_where_it_stands) {
    const std::string told = complaint<TypeParam>("{}\n");
    EXPECT_EQ(told, "");
    EXPECT_NE(complaint<TypeParam>("nonsense: 1\n").find("machine.yaml:1:1: error: unknown key 'nonsense'"),
              std::string::npos);
}

TYPED_TEST(described, printed_defaults_read_back_the_same) {
    const std::string printed = config::print(TypeParam{});
    EXPECT_EQ(complaint<TypeParam>(printed), "");
    EXPECT_EQ(printed.find("text: \"\""), std::string::npos);
}

TEST(described_specs, what_is_out_of_range_is_refused_where_it_stands) {
    EXPECT_NE(complaint<cache_spec>("ways: 0\n").find("machine.yaml:1:7: error"), std::string::npos);
    EXPECT_NE(complaint<cache_spec>("line: 100B\n").find("machine.yaml:1:7: error"), std::string::npos);
    EXPECT_NE(complaint<cache_spec>("line: 256B\n").find("machine.yaml:1:7: error"), std::string::npos);
    const std::string policy = complaint<cache_spec>("replacement: lfu\n");
    EXPECT_NE(policy.find("machine.yaml:1:14: error"), std::string::npos);
    EXPECT_NE(policy.find("lru, fifo, random, tree_plru"), std::string::npos);
    EXPECT_NE(complaint<dram_spec>("queue: 0\n").find("machine.yaml:1:8: error"), std::string::npos);
    EXPECT_NE(complaint<dram_spec>("overhead: 0\n").find("machine.yaml:1:11: error"), std::string::npos);
    EXPECT_NE(complaint<crossbar_spec>("latency: 0cycles\n").find("machine.yaml:1:10: error"), std::string::npos);
}

}  // namespace
