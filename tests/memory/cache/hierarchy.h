// SPDX-License-Identifier: Apache-2.0
// A whole socket's memory system of random shape: requesters with a first-level cache each, a crossbar, banks of a
// second level, the memory; and random events meanwhile: invalidations, write-backs, links that hold back.
#pragma once

#include "memory/cache/cache.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/random_agent.h"

namespace contraflow::memory::testing {

struct hierarchy_plan {
    unsigned units = 4;
    unsigned banks = 2;
    std::uint64_t requests = 1000;  // requests of each unit
    std::uint64_t seed = 1;
    bool checked = true;    // a checker on every socket
    bool disturbed = true;  // random events happen meanwhile
};

class hierarchy {
public:
    static constexpr std::uint64_t private_bytes = 4096, shared_bytes = 2048, base = 0x40000;

    hierarchy(bench& b, const hierarchy_plan& plan)
        : bench_(b),
          plan_(plan),
          random_(plan.seed),
          reference(shared_bytes + plan.units * private_bytes),
          routes_(plan.banks) {
        const cache_spec first = draw_cache(false);
        const cache_spec second = draw_cache(true);
        crossbar_spec x;
        x.inputs = plan.units;
        x.outputs = plan.banks;
        x.latency.count = x.response_latency.count = 1 + draw(20);
        x.queue = 1 + draw(8);
        x.response_queue = 1 + draw(8);
        x.flit.count = 8u << draw(5);
        dram_spec d;
        d.size.count = 1u << 20;
        d.channels = 1u << draw(3);
        d.queue = 1 + draw(16);
        d.write_queue = 1 + draw(16);
        d.write_high = 1 + draw(d.write_queue);
        d.write_low = draw(d.write_high);
        d.ports = plan.banks;
        d.row_hit_cap = draw(2) * 16;
        bar = std::make_unique<crossbar>("bar", b.shared, x, routes_);
        home = std::make_unique<dram>("home", b.shared, d);
        for (unsigned i = 0; i < plan.units; ++i) {
            agent_plan a;
            a.requests = plan.requests;
            a.outstanding = 1 + draw(32);
            a.first = shared_bytes + i * private_bytes;
            a.length = private_bytes;
            a.base = base;
            a.line = static_cast<unsigned>(first.line.count);
            a.shared = 0.3;
            a.shared_length = shared_bytes;
            a.bypass = 0.03;
            a.refusal = draw(2) * 2;
            a.seed = plan.seed * 1000 + i;
            agents.push_back(std::make_unique<random_agent>(fmt::format("agent{}", i).c_str(), b, reference, a));
            l1s.push_back(std::make_unique<cache>(fmt::format("l1_{}", i).c_str(), b.shared, first));
            connect(agents[i]->port, l1s[i]->up);
            connect(l1s[i]->down, bar->up(i));
        }
        for (unsigned i = 0; i < plan.banks; ++i) {
            l2s.push_back(std::make_unique<cache>(fmt::format("l2_{}", i).c_str(), b.shared, second));
            connect(bar->down(i), l2s[i]->up);
            connect(l2s[i]->down, home->up(i));
        }
    }

    std::uint64_t answered() const {
        std::uint64_t n = 0;
        for (const auto& a : agents) n += a->answered();
        return n;
    }
    void start() {
        for (const auto& a : agents) a->start();
        if (plan_.disturbed) disturb();
    }
    // All requests have correct answers, none is pending, and memory has the expected contents.
    void expect_all_well() {
        for (const auto& a : agents) {
            EXPECT_TRUE(a->done()) << a->name() << ' ' << a->answered() << ", seed " << plan_.seed;
            EXPECT_EQ(a->wrong(), 0u) << a->name() << ", seed " << plan_.seed;
        }
        bench_.expect_silence();
        EXPECT_EQ(bench_.payloads.in_flight(), 0u);
        observe::conservation checks;
        for (const auto& c : l1s) c->check(checks);
        for (const auto& c : l2s) c->check(checks);
        bar->check(checks);
        home->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name;
        for (const auto& c : l1s) c->flush({}, {});  // a requester doesn't see newer bytes in the cache of another one
        bench_.sim.run();
        std::vector<std::uint8_t> seen(reference.size());
        tlm::tlm_generic_payload look;
        look.set_address(base);
        look.set_command(tlm::TLM_READ_COMMAND);
        look.set_data_ptr(seen.data());
        look.set_data_length(static_cast<unsigned>(seen.size()));
        EXPECT_EQ(agents[0]->port->transport_dbg(look), seen.size());
        EXPECT_EQ(0, std::memcmp(seen.data(), reference.at(0), seen.size())) << "seed " << plan_.seed;
    }

private:
    struct by_granule final : address_to_port_if {
        interleave parts;
        explicit by_granule(unsigned n) : parts(n, 256) {}
        unsigned find(std::uint64_t address) const override { return parts.part_of(address); }
        std::uint64_t span(std::uint64_t address) const override { return parts.span(address); }
    };

    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
    template <class From, class To> void connect(From& from, To& to) {
        if (plan_.checked)
            bench_.connect(from, to);
        else
            from.bind(to);
    }
    cache_spec draw_cache(bool second) {
        cache_spec s;
        s.line.count = 128;
        s.ways = 1 + draw(8);
        s.size.count = s.line.count * s.ways * (1 + draw(16));
        s.replacement = replacement_policies()[draw(4)].name;
        s.mshrs = 1 + draw(16);
        s.mshr_targets = 1 + draw(8);
        s.queue = 1 + draw(8);
        s.request_queue = 2 + draw(8);
        s.write_backs = 1 + draw(8);
        s.accesses = 1 + draw(2);
        s.hit_latency.count = 1 + draw(30);
        s.fill_latency.count = 1 + draw(8);
        if (second) {
            s.writes = write_policy::back;
            s.atomics = atomics_at::here;
            s.covers = scope::system;
            s.level = cache_level::l2;
            s.bank = interleave(plan_.banks, 256);
        } else if (draw(3) == 0) {
            s.writes = write_policy::back;
        }
        return s;
    }
    void disturb() {
        if (answered() == plan_.units * plan_.requests) return;
        cache& one = draw(2) == 0 ? *l1s[draw(plan_.units)] : *l2s[draw(plan_.banks)];
        switch (draw(5)) {
        case 0: one.invalidate(); break;
        case 1: one.invalidate({[](const void*, std::uint64_t a) { return (a >> 7 & 1) != 0; }, nullptr}); break;
        case 2: one.flush({}, {}); break;
        case 3: one.control(core::control_verb::pause); break;
        default: bar->control(draw(2) == 0 ? core::control_verb::pause : core::control_verb::drain); break;
        }
        bench_.sim.events().after(
            core::sim_time::from_ns(1 + draw(200)),
            [](void* h, std::uint64_t which) {
                auto* const self = static_cast<hierarchy*>(h);
                for (const auto& c : self->l1s) c->control(core::control_verb::enable);
                for (const auto& c : self->l2s) c->control(core::control_verb::enable);
                self->bar->control(core::control_verb::enable);
                if (which == 0) self->disturb();
            },
            this);
    }

    bench& bench_;
    const hierarchy_plan plan_;
    std::mt19937_64 random_;

public:
    reference_memory reference;
    std::vector<std::unique_ptr<random_agent>> agents;
    std::vector<std::unique_ptr<cache>> l1s, l2s;
    std::unique_ptr<crossbar> bar;
    std::unique_ptr<dram> home;

private:
    by_granule routes_;
};

}  // namespace contraflow::memory::testing
