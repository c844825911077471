// SPDX-License-Identifier: Apache-2.0
// Random traffic against a reference memory that checks every answer: each kind of cache in many shapes, tiny ones
// among them, and two levels of them.
#include "memory/cache/cache.h"
#include "memory/dram/dram.h"
#include "memory/random_agent.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::agent_plan;
using memory::testing::bench;
using memory::testing::random_agent;
using memory::testing::reference_memory;

namespace {

struct shape {
    std::string name;
    cache_spec spec;
};
void PrintTo(const shape& s, std::ostream* out) { *out << s.name; }

cache_spec l2_like(cache_spec s = {}) {
    s.writes = write_policy::back;
    s.atomics = atomics_at::here;
    s.covers = scope::system;
    s.level = cache_level::l2;
    return s;
}

std::vector<shape> shapes() {
    std::vector<shape> all;
    for (const bool back : {false, true}) {
        cache_spec base = back ? l2_like() : cache_spec{};
        base.hit_latency = core::cycles{5};
        const std::string kind = back ? "back" : "through";
        for (const char* policy : {"lru", "fifo", "random", "tree_plru"}) {
            cache_spec s = base;
            s.size = {2048};
            s.replacement = policy;
            all.push_back({fmt::format("{}_{}", kind, policy), s});
        }
        cache_spec s = base;
        s.size = {128};
        s.ways = 1;
        all.push_back({kind + "_one_line", s});
        s = base;
        s.size = {512};
        s.mshrs = 1;
        s.mshr_targets = 1;
        s.queue = 1;
        s.request_queue = 2;
        s.write_backs = 1;
        all.push_back({kind + "_one_of_everything", s});
        s = base;
        s.size = {1024};
        s.line = {32};
        s.ways = 8;
        s.accesses = 4;
        all.push_back({kind + "_short_lines", s});
        s = base;
        s.size = {3 * 4 * 128};
        all.push_back({kind + "_three_sets", s});
        s = base;
        s.size = {1u << 20};
        all.push_back({kind + "_holds_all", s});
    }
    cache_spec s = l2_like();
    s.size = {1024};
    s.covers = scope::group;
    s.atomics = atomics_at::next;
    all.push_back({"back_atomics_below", s});
    return all;
}

class cache_random : public ::testing::TestWithParam<shape> {};

TEST_P(cache_random, every_answer_is_right) {
    bench b;
    reference_memory reference(8192);
    agent_plan plan;
    plan.requests = 6000;
    plan.length = 8192;
    plan.base = 0x10000;
    plan.line = static_cast<unsigned>(GetParam().spec.line.count);
    plan.bypass = 0.05;
    random_agent agent("agent", b, reference, plan);
    cache tested("tested", b.shared, GetParam().spec);
    dram_spec ds;
    ds.size = {1u << 20};
    ds.channels = 2;
    ds.queue = ds.write_queue = ds.write_high = 2;
    ds.write_low = 0;
    dram home("home", b.shared, ds);
    b.connect(agent.port, tested.up);
    b.connect(tested.down, home.up());
    agent.start();
    b.sim.run();
    EXPECT_TRUE(agent.done()) << agent.answered();
    EXPECT_EQ(agent.wrong(), 0u);
    b.expect_silence();
    EXPECT_TRUE(tested.idle());
    EXPECT_EQ(b.payloads.in_flight(), 0u);
    observe::conservation checks;
    tested.check(checks);
    home.check(checks);
    for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ' ' << c.in << ' ' << c.out;

    // From above, memory looks like the reference; from below, it does after all lines have been written back.
    std::vector<std::uint8_t> seen(reference.size());
    tlm::tlm_generic_payload look;
    look.set_command(tlm::TLM_READ_COMMAND);
    look.set_address(plan.base);
    look.set_data_ptr(seen.data());
    look.set_data_length(static_cast<unsigned>(seen.size()));
    ASSERT_EQ(agent.port->transport_dbg(look), seen.size());
    EXPECT_EQ(0, std::memcmp(seen.data(), reference.at(0), seen.size()));
    bool flushed = false;
    tested.flush({}, {[](void* f, std::uint64_t) { *static_cast<bool*>(f) = true; }, &flushed, 0});
    b.sim.run();
    EXPECT_TRUE(flushed);
    EXPECT_EQ(tested.dirty_lines(), 0u);
    home.bytes().read(plan.base, seen.data(), seen.size());
    EXPECT_EQ(0, std::memcmp(seen.data(), reference.at(0), seen.size()));
    b.expect_silence();
}

INSTANTIATE_TEST_SUITE_P(all, cache_random, ::testing::ValuesIn(shapes()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
