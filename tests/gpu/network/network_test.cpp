// SPDX-License-Identifier: Apache-2.0
// The network alone, between users that take packets at random times: everything arrives once, in order, with buffers
// of any size, on every network; and no sender starves.
#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "memory/transaction/payload.h"
#include "networks.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::network_of;
using gpu::testing::tiny_network;
using net::network;
using net::packet_class;
using net::topology;

struct traffic_spec {
    unsigned packets = 200;      // of each user and class
    unsigned refuse_one_in = 0;  // arrivals are refused for a while
    bool answers = false;        // sends only responses to requests that arrive, of every kind
    unsigned only_target = ~0u;  // all send to this one
    std::uint64_t seed = 1;
};

// A PCIe tree carries responses to requests, and no others.
bool only_answers(network_kind how) { return how == network_kind::pcie; }

class user;

struct bench {
    bench(const network_spec& n, unsigned sockets, const traffic_spec& t);
    void run() { sim.run(); }
    core::simulation sim;
    observe::statistics statistics;
    memory::payload_pool pool;
    std::unique_ptr<net::network_if> net;
    std::deque<user> users;
};

// Keeps one packet of each class at hand until the network takes it.
class user final : private net::client_if {
public:
    user(bench& b, unsigned number, unsigned users, const traffic_spec& t)
        : bench_(b),
          port_(b.net->port(number)),
          number_(number),
          users_(users),
          spec_(t),
          draw_(t.seed * 100 + number) {
        port_.set_client(*this);
        for (unsigned k = 0; k < 2; ++k) {
            left_[k] = number == t.only_target || (k == 1 && t.answers) ? 0 : t.packets;
            next_number_[k].resize(users * commands);
            expected_[k].resize(users * commands);
        }
        bench_.sim.events().after<&user::offer>({}, this);
    }
    std::uint64_t arrived(packet_class k) const { return arrived_[static_cast<unsigned>(k)]; }
    std::uint64_t out_of_order = 0, misled = 0;
    core::sim_time last{};  // of the last arrival

private:
    const char* client_name() const override { return "user"; }
    static constexpr unsigned commands = 3;  // reads, writes, atomic operations
    static constexpr std::uint64_t numbers = 8192;
    struct owed {
        memory::payload* of;
        unsigned to;
    };

    bool can_take(packet_class kind, const link::packet&) override {
        // Behaves as a memory with room for one request: it takes the next one when its answer has left.
        if (spec_.answers && kind == packet_class::request && !answers_.empty()) return false;
        if (spec_.refuse_one_in == 0 || draw_() % spec_.refuse_one_in != 0) return true;
        bench_.sim.events().after<&user::again>(core::sim_time::from_ns(1 + draw_() % 300), this);
        return false;
    }
    // A network may let a write pass other packets; packets of one kind stay in order.
    static std::size_t stream(unsigned peer, const memory::memory_extension& e) {
        return peer * commands + static_cast<unsigned>(e.carrier().get_command());
    }
    void take_packet(packet_class kind, const link::packet& p) override {
        auto& e = p.payload_as<memory::memory_extension>();
        auto& payload = static_cast<memory::payload&>(e.carrier());
        const auto k = static_cast<unsigned>(kind);
        misled += p.target != number_;
        // A request's number is its line: not every network carries more of it.
        const std::uint64_t number =
            kind == packet_class::request ? e.carrier().get_address() / 128 % numbers : e.virtual_address;
        out_of_order += number % numbers != expected_[k][stream(p.source, e)]++ % numbers;
        ++arrived_[k];
        last = bench_.sim.events().now();
        if (kind == packet_class::request && spec_.answers) {
            answers_.push_back({&payload, p.source});
            return offer();
        }
        payload.release();
    }
    void may_inject(packet_class) override { offer(); }
    void again() {
        port_.offer_again(packet_class::request);
        port_.offer_again(packet_class::response);
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
        while (!answers_.empty() && port_.can_inject(packet_class::response, answers_.front().to)) {
            const owed next = answers_.front();
            answers_.pop_front();
            give(packet_class::response, next.to, *next.of);
            bench_.sim.events().after<&user::again>({}, this);
        }
    }
    bool inject(packet_class kind, unsigned target) {
        if (!port_.can_inject(kind, target)) return false;
        memory::payload& p = bench_.pool.take();
        // Mostly writes: only the lack of room stops them.
        const std::uint64_t there = std::uint64_t{target} << 20;
        switch (spec_.answers ? draw_() % 8 : ~0u) {
        case 0: p.read(there, 128); break;
        case 1: p.modify(there, 8, {memory::atomic_op::add, memory::operand_type::u64}); break;
        default: {
            // A packet of a link may have no data; a transaction always has some.
            const unsigned least = spec_.answers ? 1 : 0;
            p.write(there, static_cast<unsigned>(draw_() % 3 == 0 ? least : least + draw_() % (129 - least)));
        }
        }
        p.extension().times.begin(bench_.sim.events().now());
        give(kind, target, p);
        return true;
    }
    void give(packet_class kind, unsigned target, memory::payload& p) {
        memory::memory_extension& e = p.extension();
        e.virtual_address = next_number_[static_cast<unsigned>(kind)][stream(target, e)]++;
        const bool there = kind == packet_class::request;
        if (there) p.set_address((std::uint64_t{target} << 20) + e.virtual_address % numbers * 128);
        const bool data = there == p.is_write() || !(p.is_read() || p.is_write()) || !spec_.answers;
        port_.inject(kind, {&e, data ? p.get_data_length() : 0, static_cast<std::uint16_t>(number_),
                            static_cast<std::uint16_t>(target), 0});
    }

    bench& bench_;
    net::network_port& port_;
    unsigned number_, users_;
    traffic_spec spec_;
    std::mt19937_64 draw_;
    unsigned left_[2];
    unsigned target_[2] = {~0u, ~0u};
    std::deque<owed> answers_;
    std::vector<std::uint64_t> next_number_[2], expected_[2];
    std::uint64_t arrived_[2] = {};
};

bench::bench(const network_spec& n, unsigned sockets, const traffic_spec& t)
    : net(gpu::testing::make_network(n, sim, statistics, sockets)) {
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
    EXPECT_EQ(b.net->outstanding(), 0u);
    b.net->settle();
    observe::conservation checks;
    b.net->check(checks);
    for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
}

class every_network : public ::testing::TestWithParam<std::tuple<network_kind, unsigned>> {
protected:
    network_kind how() const { return std::get<0>(GetParam()); }
    unsigned sockets() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(network, every_network,
                         ::testing::Combine(::testing::ValuesIn(gpu::testing::all_networks),
                                            ::testing::Values(2u, 3u, 4u, 5u, 6u, 8u, 9u)),
                         [](const auto& p) {
                             return gpu::testing::name_of(std::get<0>(p.param)) + std::to_string(std::get<1>(p.param));
                         });

TEST_P(every_network, everything_arrives_once_and_in_order) {
    bench b(tiny_network(how()), sockets(), {.answers = only_answers(how())});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

TEST_P(every_network, users_that_refuse_lose_nothing) {
    bench b(tiny_network(how()), sockets(), {.refuse_one_in = 3, .answers = only_answers(how()), .seed = 2});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

TEST_P(every_network, requests_that_are_only_taken_when_answers_can_leave_do_not_lock) {
    bench b(tiny_network(how()), sockets(), {.answers = true, .seed = 3});
    b.run();
    expect_all_arrived(b, 200u * sockets(), 200u * sockets());
}

struct crossing {
    core::sim_time seen, said;
    unsigned hops;
};

// One packet without data through an empty network.
crossing cross(const network_spec& n, unsigned gpus, unsigned to) {
    bench b(n, gpus, {.packets = 0, .answers = n.in_pcie_tree});
    memory::payload& p = b.pool.take();
    p.read(std::uint64_t{to} << 20, 128);
    p.extension().times.begin({});
    // The links of a PCIe tree have exchanged their credits by then.
    b.sim.run_to(core::sim_time::from_us(1));
    const core::sim_time begun = b.sim.events().now();
    b.net->port(0).inject(packet_class::request, {&p.extension(), 0, 0, static_cast<std::uint16_t>(to), 0});
    b.run();
    return {b.users[to].last - begun, b.net->latency(0, to), b.net->hops(0, to)};
}

TEST_P(every_network, hops_and_latency_are_what_an_empty_network_shows) {
    for (unsigned to = 1; to < sockets(); ++to) {
        const crossing c = cross(network_of(how()), sockets(), to);
        if (how() == network_kind::pcie)
            // 24 bytes at 31.5 GB/s; a switch forwards when it has the header, which is all of a read.
            EXPECT_NEAR(static_cast<double>((c.seen - c.said).ps), c.hops * 24 / 31.508e-3, 100) << to;
        else
            // 16 bytes of header on 8 lanes of 8 bytes a cycle: a quarter of a cycle a link.
            EXPECT_EQ(c.seen.ps, c.said.ps + c.hops * 250u) << to;
    }
}

TEST(network, all_to_one_through_a_switch_serves_every_sender_alike) {
    bench b(tiny_network(of_links(topology::central_switch)), 4, {.packets = 300, .only_target = 0});
    b.sim.run_until(core::sim_time::from_us(3));
    const auto& served = dynamic_cast<const network&>(*b.net).links();
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
    EXPECT_THROW(network("", shared, network_of(of_links(topology::ring)), 1), std::invalid_argument);
    network_spec none;
    none.link.lanes.lanes_per_direction = 0;
    EXPECT_THROW(network("", shared, none, 4), std::invalid_argument);
    network_spec mesh = network_of(of_links(topology::mesh));
    mesh.nodes = {3};
    EXPECT_THROW(network("", shared, mesh, 4), std::invalid_argument);
    pcie_network_spec tree;
    EXPECT_THROW(pcie_network("one", {sim.events(), statistics}, tree, memory::address_map(1, {1u << 20})),
                 std::invalid_argument);
}

TEST(network, a_mesh_is_as_square_as_whole_rows_allow_and_named_by_its_pairs) {
    const network_spec n = network_of(of_links(topology::mesh));
    EXPECT_EQ(n.shape(2)[0], 2u);
    EXPECT_EQ(n.shape(4)[0], 2u);
    EXPECT_EQ(n.shape(5)[0], 5u);
    EXPECT_EQ(n.shape(8)[0], 4u);
    EXPECT_EQ(n.shape(9)[0], 3u);
    EXPECT_EQ(net::link_names(n, 6),
              (std::vector<std::string>{"link0_1", "link0_3", "link1_2", "link1_4", "link2_5", "link3_4", "link4_5"}));
    bench b(n, 6, {.packets = 0});
    EXPECT_EQ(b.net->hops(0, 5), 3u);
    EXPECT_EQ(b.net->port(4).links(), 3u);
    // Along the row first: from 2 (top right) to 3 (bottom left) by 1, from 3 to 2 by 4.
    EXPECT_EQ(b.net->port(2).link_to(3), b.net->port(2).link_to(0));
    EXPECT_EQ(b.net->port(3).link_to(2), b.net->port(3).link_to(5));
}

}  // namespace
