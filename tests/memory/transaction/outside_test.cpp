// SPDX-License-Identifier: Apache-2.0
// Initiators and targets written independently against the standard work with every component of ours, in every
// manner of going through the phases, while checkers on all sockets stay silent.
#include <tlm_utils/simple_initiator_socket.h>

#include "memory/cache/cache.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/probe.h"
#include "memory/random_agent.h"
#include "standard_initiator.h"
#include "standard_target.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::agent_plan;
using memory::testing::bench;
using memory::testing::probe;
using memory::testing::random_agent;
using memory::testing::reference_memory;
using outside::manner;

namespace {

struct by_line final : address_to_port_if {
    unsigned outputs;
    explicit by_line(unsigned n) : outputs(n) {}
    unsigned find(std::uint64_t address) const override { return static_cast<unsigned>(address / 256 % outputs); }
    std::uint64_t span(std::uint64_t address) const override { return 256 - address % 256; }
};

enum class part { through_cache, back_cache, one_of_everything, bar, memory_itself };

// Our component, between an outside initiator and an outside target; `memory_itself` has no target behind it.
struct middle {
    std::unique_ptr<cache> the_cache;
    std::unique_ptr<crossbar> the_crossbar;
    std::unique_ptr<dram> the_dram;
    by_line routes{2};

    middle(part p, bench& b) {
        cache_spec c;
        c.size = {1024};
        c.hit_latency = core::cycles{3};
        if (p != part::through_cache) {
            c.writes = write_policy::back;
            c.atomics = atomics_at::here;
            c.covers = scope::system;
        }
        if (p == part::one_of_everything) {
            c.mshrs = c.mshr_targets = c.queue = c.write_backs = 1;
            c.request_queue = 2;
        }
        crossbar_spec x;
        x.inputs = 2;
        x.outputs = 2;
        x.queue = x.response_queue = 1;
        dram_spec d;
        d.size = {65536};
        d.channels = 2;
        d.queue = d.write_queue = d.write_high = 1;
        d.write_low = 0;
        if (p == part::bar)
            the_crossbar = std::make_unique<crossbar>("tested", b.shared, x, routes);
        else if (p == part::memory_itself)
            the_dram = std::make_unique<dram>("tested", b.shared, d);
        else
            the_cache = std::make_unique<cache>("tested", b.shared, c);
    }
    response_port& up(unsigned i) {
        return the_cache ? the_cache->up : the_crossbar ? the_crossbar->up(i) : the_dram->up();
    }
    request_port* down(unsigned i) {
        return the_cache ? &the_cache->down : the_crossbar ? &the_crossbar->down(i) : nullptr;
    }
    unsigned sides() const { return the_crossbar ? 2 : 1; }
    bool idle() const { return the_cache ? the_cache->idle() : the_crossbar ? the_crossbar->idle() : the_dram->idle(); }
};

using parameters = std::tuple<part, manner>;

class outside_world : public ::testing::TestWithParam<parameters> {};

template <class Target> void bind_targets(bench& b, middle& m, std::vector<std::unique_ptr<Target>>& targets) {
    for (unsigned i = 0; i < m.sides(); ++i)
        if (m.down(i) != nullptr) b.connect(*m.down(i), targets[i]->socket);
}

std::vector<std::unique_ptr<outside::target>> make_targets(manner how) {
    std::vector<std::unique_ptr<outside::target>> all;
    for (unsigned i = 0; i < 2; ++i)
        all.push_back(std::make_unique<outside::target>(fmt::format("outside{}", i).c_str(), 65536, how, i + 1));
    return all;
}

TEST_P(outside_world, four_phase_initiators_get_what_they_wrote) {
    bench b;
    middle m(std::get<part>(GetParam()), b);
    std::vector<std::unique_ptr<outside::target>> targets;
    if (m.down(0) != nullptr) targets = make_targets(std::get<manner>(GetParam()));
    if (m.sides() == 1 && !targets.empty()) targets.pop_back();
    std::vector<std::unique_ptr<outside::initiator>> initiators;
    for (unsigned i = 0; i < m.sides(); ++i) {
        outside::initiator_plan plan;
        plan.base = 2048 * i;
        plan.seed = i + 1;
        initiators.push_back(std::make_unique<outside::initiator>(fmt::format("initiator{}", i).c_str(), plan));
        b.connect(initiators[i]->socket, m.up(i));
    }
    bind_targets(b, m, targets);
    b.sim.run();
    for (const auto& i : initiators) {
        EXPECT_EQ(i->answered, 300u);
        EXPECT_EQ(i->wrong, 0u);
        EXPECT_EQ(i->alive(), 0);
    }
    b.expect_silence();
    EXPECT_TRUE(m.idle());
    EXPECT_EQ(b.payloads.in_flight(), 0u);
    EXPECT_EQ(b.payloads.lent(), 0u);
}

TEST_P(outside_world, our_own_requests_are_answered_by_their_targets) {
    bench b;
    middle m(std::get<part>(GetParam()), b);
    std::vector<std::unique_ptr<outside::target>> targets;
    if (m.down(0) != nullptr) targets = make_targets(std::get<manner>(GetParam()));
    if (m.sides() == 1 && !targets.empty()) targets.pop_back();
    std::vector<std::unique_ptr<reference_memory>> references;
    std::vector<std::unique_ptr<random_agent>> agents;
    for (unsigned i = 0; i < m.sides(); ++i) {
        references.push_back(std::make_unique<reference_memory>(2048));
        agent_plan plan;
        plan.requests = 1500;
        plan.length = 2048;
        plan.base = 2048 * i;
        plan.seed = i + 1;
        plan.refusal = 3;
        plan.atomics = std::get<part>(GetParam()) == part::through_cache || m.the_crossbar ? 0 : 0.1;
        plan.wide = plan.atomics;  // an outside target does no atomic operations
        agents.push_back(std::make_unique<random_agent>(fmt::format("agent{}", i).c_str(), b, *references[i], plan));
        b.connect(agents[i]->port, m.up(i));
        agents[i]->start();
    }
    bind_targets(b, m, targets);
    b.sim.run();
    for (const auto& a : agents) EXPECT_TRUE(a->done()) << a->answered();
    b.expect_silence();
    EXPECT_TRUE(m.idle());
    EXPECT_EQ(b.payloads.in_flight(), 0u);
}

TEST_P(outside_world, loosely_timed_initiators_get_what_they_wrote) {
    bench b;
    middle m(std::get<part>(GetParam()), b);
    std::vector<std::unique_ptr<outside::target>> targets;
    if (m.down(0) != nullptr) targets = make_targets(std::get<manner>(GetParam()));
    if (m.sides() == 1 && !targets.empty()) targets.pop_back();
    std::vector<std::unique_ptr<outside::blocking_initiator>> initiators;
    for (unsigned i = 0; i < m.sides(); ++i) {
        outside::initiator_plan plan;
        plan.base = 2048 * i;
        initiators.push_back(
            std::make_unique<outside::blocking_initiator>(fmt::format("initiator{}", i).c_str(), plan));
        b.connect(initiators[i]->socket, m.up(i));
    }
    bind_targets(b, m, targets);
    b.sim.run();
    for (const auto& i : initiators) {
        EXPECT_EQ(i->answered, 300u);
        EXPECT_EQ(i->wrong, 0u);
        EXPECT_GT(i->taken, sc_core::sc_time(300 * 3, sc_core::SC_NS));
    }
    b.expect_silence();
    EXPECT_TRUE(m.idle());
}

std::string part_name(part p) {
    static constexpr std::array names{"through", "back", "one_of_everything", "crossbar", "dram"};
    return names[static_cast<std::size_t>(p)];
}
std::string manner_name(manner m) {
    static constexpr std::array names{"four_phases", "prompt", "no_end_request", "with_response", "completes"};
    return names[static_cast<std::size_t>(m)];
}

INSTANTIATE_TEST_SUITE_P(
    all, outside_world,
    ::testing::Combine(::testing::Values(part::through_cache, part::back_cache, part::one_of_everything, part::bar),
                       ::testing::Values(manner::four_phases, manner::prompt, manner::no_end_request,
                                         manner::with_response, manner::completes)),
    [](const auto& tested) {
        return part_name(std::get<part>(tested.param)) + "_" + manner_name(std::get<manner>(tested.param));
    });
INSTANTIATE_TEST_SUITE_P(memory, outside_world, ::testing::Values(parameters{part::memory_itself, manner::four_phases}),
                         [](const auto&) { return "dram"; });

TEST(outside_world, a_target_that_only_blocks_serves_a_cache) {
    bench b;
    middle m(part::back_cache, b);
    outside::blocking_target home("home", 65536);
    reference_memory reference(2048);
    agent_plan plan;
    plan.requests = 1500;
    plan.length = 2048;
    random_agent agent("agent", b, reference, plan);
    b.connect(agent.port, m.up(0));
    b.connect(*m.down(0), home.socket);
    agent.start();
    b.sim.run();
    EXPECT_TRUE(agent.done()) << agent.answered();
    b.expect_silence();
}

// Ends a request by a call of its own that has a delay, and does not answer it.
struct late_end : sc_core::sc_module {
    explicit late_end(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_fw(this, &late_end::take);
    }
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload& trans, tlm::tlm_phase&, sc_core::sc_time&) {
        begun = &trans;
        return tlm::TLM_ACCEPTED;
    }
    void end() {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay(5, sc_core::SC_NS);
        socket->nb_transport_bw(*begun, phase, delay);
    }
    tlm_utils::simple_target_socket<late_end> socket;
    tlm::tlm_generic_payload* begun = nullptr;
};

TEST(outside_world, a_request_ends_when_the_delay_of_its_end_is_over) {
    bench b;
    probe asking("asking", b);
    late_end home("home");
    asking.port.bind(home.socket);
    const probe::asked& one = asking.read(0);
    b.sim.events().after(
        core::sim_time::from_ns(2), [](void* target, std::uint64_t) { static_cast<late_end*>(target)->end(); }, &home);
    b.sim.run();
    EXPECT_EQ(one.accepted, core::sim_time::from_ns(2 + 5));
    asking.reset();
}

// It has no thread of its own: the exception below is thrown in the test's.
struct bare_initiator : sc_core::sc_module {
    explicit bare_initiator(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_bw(this, &bare_initiator::take);
    }
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; }
    tlm_utils::simple_initiator_socket<bare_initiator> socket;
};

TEST(outside_world, who_breaks_the_exclusion_rule_is_told) {
    bench b;
    middle m(part::memory_itself, b);
    bare_initiator i("initiator");
    i.socket.bind(m.up(0));
    b.sim.events().after(
        {}, [](void*, std::uint64_t) {}, nullptr);
    b.sim.run();
    ASSERT_TRUE(m.the_dram->control(core::control_verb::pause));
    std::array<payload*, 2> two{&b.payloads.take(), &b.payloads.take()};
    const auto begin = [&](payload& p) {
        p.read(0, 4);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        i.socket->nb_transport_fw(p, phase, delay);
    };
    begin(*two[0]);
    EXPECT_THROW(begin(*two[1]), std::logic_error);
    m.the_dram->control(core::control_verb::reset);
    for (payload* p : two) p->release();
}

}  // namespace
