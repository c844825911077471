// SPDX-License-Identifier: Apache-2.0
// The network alone, between users that take packets when it suits them: everything arrives once, in order, however
// small the buffers, on every topology; and no sender starves.
#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "core/simulation.h"
#include "gpu/network.h"
#include "memory/payload.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

struct traffic_spec {
    unsigned packets = 200;      // of each user and class
    unsigned refuse_one_in = 0;  // arrivals are refused for a while
    bool answers = false;        // responses are sent for requests that arrive, and only so
    unsigned only_target = ~0u;  // all to one
    std::uint64_t seed = 1;
};

class user;

struct bench {
    bench(const network_spec& n, unsigned sockets, const traffic_spec& t);
    void run() { sim.run(); }
    core::simulation sim;
    observe::statistics statistics;
    memory::payload_pool pool;
    network net;
    std::deque<user> users;
};

// Keeps one packet of each class at hand until the network takes it.
class user final : private network_user_if {
public:
    user(bench& b, unsigned number, unsigned users, const traffic_spec& t)
        : bench_(b),
          router_(b.net.router(number)),
          number_(number),
          users_(users),
          spec_(t),
          draw_(t.seed * 100 + number) {
        router_.set_user(*this);
        for (unsigned k = 0; k < 2; ++k) {
            left_[k] = number == t.only_target || (k == 1 && t.answers) ? 0 : t.packets;
            next_number_[k].resize(users);
            expected_[k].resize(users);
        }
        bench_.sim.events().after<&user::offer>({}, this);
    }
    std::uint64_t arrived(packet_class k) const { return arrived_[static_cast<unsigned>(k)]; }
    std::uint64_t out_of_order = 0, misled = 0;
    core::sim_time last{};  // arrival

private:
    struct item {
        unsigned source, target, number;
    };

    bool can_take(packet_class, const link::packet&) override {
        if (spec_.refuse_one_in == 0 || draw_() % spec_.refuse_one_in != 0) return true;
        bench_.sim.events().after<&user::again>(core::sim_time::from_ns(1 + draw_() % 300), this);
        return false;
    }
    void take_packet(packet_class kind, const link::packet& p) override {
        auto& e = *static_cast<memory::memory_extension*>(p.load);
        const auto k = static_cast<unsigned>(kind);
        misled += p.target != number_;
        out_of_order += e.virtual_address != expected_[k][p.source]++;
        ++arrived_[k];
        last = bench_.sim.events().now();
        static_cast<memory::payload&>(e.carrier()).release();
        if (kind == packet_class::request && spec_.answers) {
            answers_.push_back(p.source);
            offer();
        }
    }
    void may_inject(packet_class) override { offer(); }
    void again() {
        router_.offer_again(packet_class::request);
        router_.offer_again(packet_class::response);
    }
    unsigned any_other() {
        if (spec_.only_target != ~0u) return spec_.only_target;
        return static_cast<unsigned>((number_ + 1 + draw_() % (users_ - 1)) % users_);
    }
    void offer() {
        for (; left_[0] > 0; --left_[0]) {
            if (target_[0] == ~0u) target_[0] = any_other();
            if (!inject(packet_class::request, target_[0])) break;
            target_[0] = ~0u;
        }
        for (; left_[1] > 0; --left_[1]) {
            if (target_[1] == ~0u) target_[1] = any_other();
            if (!inject(packet_class::response, target_[1])) break;
            target_[1] = ~0u;
        }
        while (!answers_.empty() && inject(packet_class::response, answers_.front())) answers_.pop_front();
    }
    bool inject(packet_class kind, unsigned target) {
        if (!router_.can_inject(kind, target)) return false;
        memory::payload& p = bench_.pool.take();
        memory::memory_extension& e = p.extension();
        e.times.begin(bench_.sim.events().now());
        e.virtual_address = next_number_[static_cast<unsigned>(kind)][target]++;
        const auto length = static_cast<std::uint32_t>(draw_() % 3 == 0 ? 0 : draw_() % 129);
        router_.inject(kind, {&e, length, static_cast<std::uint16_t>(number_), static_cast<std::uint16_t>(target), 0});
        return true;
    }

    bench& bench_;
    packet_router& router_;
    unsigned number_, users_;
    traffic_spec spec_;
    std::mt19937_64 draw_;
    unsigned left_[2];
    unsigned target_[2] = {~0u, ~0u};
    std::deque<unsigned> answers_;
    std::vector<std::uint64_t> next_number_[2], expected_[2];
    std::uint64_t arrived_[2] = {};
};

bench::bench(const network_spec& n, unsigned sockets, const traffic_spec& t)
    : net("", {sim.events(), statistics, core::sim_time::from_ns(1), core::sim_time::from_us(5)}, n, sockets) {
    for (unsigned i = 0; i < sockets; ++i) users.emplace_back(*this, i, sockets, t);
}

void expect_all_arrived(bench& b, std::uint64_t requests, std::uint64_t responses) {
    std::uint64_t sum[2] = {};
    for (const user& u : b.users) {
        EXPECT_EQ(u.out_of_order, 0u);
        EXPECT_EQ(u.misled, 0u);
        sum[0] += u.arrived(packet_class::request);
        sum[1] += u.arrived(packet_class::response);
    }
    EXPECT_EQ(sum[0], requests);
    EXPECT_EQ(sum[1], responses);
    EXPECT_EQ(b.pool.in_flight(), 0u);
    EXPECT_EQ(b.net.outstanding(), 0u);
    b.net.settle();
    observe::conservation checks;
    b.net.check(checks);
    EXPECT_TRUE(checks.held());
}

network_spec tiny(topology t) {
    network_spec n;
    n.topology = t;
    n.link.queue = 1;
    n.link.receive_buffer = {144};  // one packet of a line
    n.link.lanes.lanes_per_direction = 2;
    return n;
}

class every_topology : public ::testing::TestWithParam<std::tuple<topology, unsigned>> {
protected:
    network_spec tiny_network() const { return tiny(std::get<0>(GetParam())); }
    unsigned sockets() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(network, every_topology,
                         ::testing::Combine(::testing::Values(topology::central_switch, topology::fully_connected,
                                                              topology::ring),
                                            ::testing::Values(2u, 3u, 4u, 5u, 8u)));

TEST_P(every_topology, everything_arrives_once_and_in_order) {
    bench b(tiny_network(), sockets(), {});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

TEST_P(every_topology, users_that_refuse_lose_nothing) {
    bench b(tiny_network(), sockets(), {.refuse_one_in = 3, .seed = 2});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

TEST_P(every_topology, requests_that_are_only_taken_when_answers_can_leave_do_not_lock) {
    bench b(tiny_network(), sockets(), {.answers = true, .seed = 3});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

TEST_P(every_topology, hops_and_latency_are_what_an_empty_network_shows) {
    network_spec n;
    n.topology = std::get<0>(GetParam());
    for (unsigned to = 1; to < sockets(); ++to) {
        bench b(n, sockets(), {.packets = 0});
        memory::payload& p = b.pool.take();
        p.extension().times.begin({});
        b.net.router(0).inject(packet_class::request, {&p.extension(), 0, 0, static_cast<std::uint16_t>(to), 0});
        b.run();
        // 16 bytes of header on 8 lanes of 8 bytes a cycle: a quarter of a cycle a link.
        EXPECT_EQ(b.users[to].last.ps, b.net.latency(0, to).ps + b.net.hops(0, to) * 250u);
    }
}

TEST(network, all_to_one_through_a_switch_serves_every_sender_alike) {
    bench b(tiny(topology::central_switch), 4, {.packets = 300, .only_target = 0});
    b.sim.run_until(core::sim_time::from_us(3));
    const auto& served = b.net.links();
    std::vector<double> by_sender;
    for (unsigned i = 1; i < 4; ++i)
        by_sender.push_back(static_cast<double>(served[i]->statistics(link::direction::ab).packets.value()));
    const auto [least, most] = std::minmax_element(by_sender.begin(), by_sender.end());
    EXPECT_GT(*least, 20);
    EXPECT_LT(*most, *least * 1.2 + 4);
    b.run();
    expect_all_arrived(b, 900, 900);
}

TEST(network, a_specification_that_cannot_be_built_is_refused) {
    core::simulation sim;
    observe::statistics statistics;
    const link::reversible_link::resources shared{sim.events(), statistics, core::sim_time::from_ns(1),
                                                  core::sim_time::from_us(5)};
    EXPECT_THROW(network("", shared, {}, 1), std::invalid_argument);
    network_spec none;
    none.link.lanes.lanes_per_direction = 0;
    EXPECT_THROW(network("", shared, none, 4), std::invalid_argument);
}

}  // namespace
