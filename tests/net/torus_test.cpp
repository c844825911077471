// SPDX-License-Identifier: Apache-2.0
// A torus to the cycle: the latency of packets without load, the distance between them, the effect of damaged words and
// lost credits. And tori that cannot be built.
#include "net/torus/torus_network.h"

#include <algorithm>
#include <array>
#include <deque>

#include <gtest/gtest.h>

#include "core/random.h"
#include "core/simulation.h"
#include "observe/watchdog.h"
#include "support/allocation_count.h"

namespace {

using namespace contraflow;
using core::sim_time;
using net::packet_class;
using net::topology;
using net::torus_spec;

constexpr sim_time cycle{4000};  // at 4GB/s

torus_spec of(std::vector<std::uint32_t> nodes, topology shape = topology::torus) {
    torus_spec s;
    s.topology = shape;
    s.nodes = std::move(nodes);
    s.router = 7;
    s.wire = 4;
    s.virtual_channels = 2;
    return s;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A packet whose number determines its bytes.
struct parcel final : core::transfer {
    void crossed(const char*, bool, sim_time, sim_time) override {}
    void passed(const char*, sim_time) override {}
    std::span<std::uint8_t> bytes_on_wire() override { return {bytes.data(), bytes.size()}; }
    void fill(std::uint64_t of) {
        number = of;
        core::random_source draw(of);
        for (auto& b : bytes) b = static_cast<std::uint8_t>(draw.next());
    }
    bool whole() const {
        core::random_source draw(number);
        return std::all_of(bytes.begin(), bytes.end(),
                           [&](std::uint8_t b) { return b == static_cast<std::uint8_t>(draw.next()); });
    }
    std::uint64_t number = 0;
    std::vector<std::uint8_t> bytes;
    sim_time injected{}, taken = sim_time::never();
};

// Every client takes arrivals and notes their times; refusals are allowed.
class timed_torus {
public:
    explicit timed_torus(const torus_spec& s) : net("", sim.events(), statistics, s) {
        for (unsigned i = 0; i < net.nodes(); ++i) clients_.emplace_back(*this, i);
    }
    parcel& parcel_of(std::uint32_t bytes, std::uint64_t number = 0) {
        parcel& p = parcels_.emplace_back();
        p.bytes.resize(bytes);
        p.fill(number);
        return p;
    }
    bool inject(unsigned from, unsigned to, parcel& p, packet_class kind = packet_class::response) {
        if (!net.port(from).can_inject(kind, to)) return false;
        p.injected = sim.events().now();
        net.port(from).inject(kind, {&p, static_cast<std::uint32_t>(p.bytes.size()), static_cast<std::uint16_t>(from),
                                     static_cast<std::uint16_t>(to)});
        return true;
    }
    // Keeps node `from` sending to `to`.
    void stream(unsigned from, unsigned to, std::uint32_t bytes, std::uint64_t packets) {
        streams_.push_back({from, to, bytes, packets, 0});
        go_on(streams_.back());
    }
    std::string broken() {
        observe::conservation all;
        net.check(all);
        std::string text;
        for (const auto& c : all.checks())
            if (!c.held()) text += c.name + "\n";
        return text;
    }
    double count(const std::string& metric) {
        double sum = 0;
        for (const auto& row : statistics.rows(sim.events().now()))
            if (row.path.ends_with(metric)) sum += row.value;
        return sum;
    }

    core::simulation sim;
    observe::statistics statistics;
    net::torus_network net;
    std::vector<parcel*> taken;
    std::uint64_t bytes_taken = 0;

private:
    struct stream_state {
        unsigned from, to;
        std::uint32_t bytes;
        std::uint64_t left, next;
    };
    struct client final : net::client_if {
        client(timed_torus& w, unsigned n) : home(w), number(n) { w.net.port(n).set_client(*this); }
        bool can_take(packet_class, const link::packet&) override { return true; }
        void take_packet(packet_class, const link::packet& p) override {
            auto& one = p.payload_as<parcel>();
            EXPECT_EQ(p.target, number);
            one.taken = home.sim.events().now();
            home.bytes_taken += p.bytes;
            home.taken.push_back(&one);
        }
        void may_inject(packet_class) override {
            for (auto& s : home.streams_)
                if (s.from == number) home.go_on(s);
        }
        const char* client_name() const override { return "client"; }
        timed_torus& home;
        unsigned number;
    };
    void go_on(stream_state& s) {
        while (s.left > 0 && net.port(s.from).can_inject(packet_class::response, s.to)) {
            --s.left;
            inject(s.from, s.to, parcel_of(s.bytes, s.next++));
        }
    }

    std::deque<client> clients_;
    std::deque<parcel> parcels_;
    std::deque<stream_state> streams_;
};

// ---- without load

struct unloaded {
    const char* name;
    torus_spec spec;
};
class unloaded_torus : public ::testing::TestWithParam<unloaded> {};
INSTANTIATE_TEST_SUITE_P(torus, unloaded_torus,
                         ::testing::Values(unloaded{"two", of({2})}, unloaded{"ring_5", of({5})},
                                           unloaded{"ring_8", of({8})}, unloaded{"torus_4x2", of({4, 2})},
                                           unloaded{"torus_3x4", of({3, 4})}, unloaded{"torus_4x3x3", of({4, 3, 3})},
                                           unloaded{"line_6", of({6}, topology::mesh)},
                                           unloaded{"mesh_3x4", of({3, 4}, topology::mesh)},
                                           unloaded{"mesh_3x2x3", of({3, 2, 3}, topology::mesh)}),
                         [](const auto& p) { return std::string(p.param.name); });

// The hops computed from coordinates, not from the wiring.
unsigned distance(const torus_spec& s, unsigned from, unsigned to) {
    unsigned sum = 0;
    for (const std::uint32_t size : s.nodes) {
        const unsigned a = from % size, b = to % size, direct = a < b ? b - a : a - b;
        sum += s.topology == topology::torus ? std::min(direct, size - direct) : direct;
        from /= size;
        to /= size;
    }
    return sum;
}

TEST_P(unloaded_torus, a_packet_takes_router_and_wire_a_hop_and_a_cycle_a_word) {
    const torus_spec& s = GetParam().spec;
    timed_torus t(s);
    for (const std::uint32_t words : {1u, 2u, 33u, 258u})
        for (unsigned from = 0; from < t.net.nodes(); ++from)
            for (unsigned to = 0; to < t.net.nodes(); ++to) {
                parcel& p = t.parcel_of(16 * words);
                t.sim.run_to(t.sim.events().now() + cycle * 1000);
                ASSERT_TRUE(t.inject(from, to, p, to % 2 == 0 ? packet_class::request : packet_class::response));
                t.sim.run();
                ASSERT_EQ((p.taken - p.injected).ps, (cycle * (distance(s, from, to) * (7 + 4) + words)).ps)
                    << from << " to " << to << ", " << words << " words";
            }
    EXPECT_EQ(t.broken(), "");
}

TEST(torus_timing, a_link_is_passed_by_one_callback_a_packet_without_load) {
    timed_torus t(of({8}));
    parcel& p = t.parcel_of(512);
    t.inject(0, 4, p);
    t.sim.run();
    EXPECT_EQ(t.sim.events().executed(), 4u + 1 + 1);  // links, into the target, out of it
}

TEST(torus_timing, is_idle_without_callbacks) {
    timed_torus t(of({4, 4, 4}));
    t.sim.run_to(sim_time::from_us(1000));
    EXPECT_EQ(t.sim.events().executed(), 0u);
}

TEST(torus_timing, halfway_round_the_way_is_the_positive_one) {
    timed_torus t(of({4, 2}));
    for (unsigned i = 0; i < 4; ++i) t.inject(i, (i + 2) % 4, t.parcel_of(64));
    t.sim.run();
    EXPECT_EQ(t.count(".x+.packets"), 8);
    EXPECT_EQ(t.count(".x-.packets"), 0);
}

// ---- under load

TEST(torus_timing, a_stream_has_the_rate_of_a_link) {
    for (const unsigned to : {1u, 3u}) {
        timed_torus t(of({6}));
        t.stream(0, to, 512, 2000);
        t.sim.run();
        const double words = 2000 * 32, cycles = static_cast<double>(t.sim.events().now().ps) / 4000;
        EXPECT_NEAR(words / cycles, 1, 0.01) << to;
        EXPECT_EQ(t.count("out.packets"), 2000);
        EXPECT_EQ(t.count("out.words"), words);
        EXPECT_EQ(t.broken(), "");
    }
}

TEST(torus_timing, a_packet_waits_for_room_for_all_of_it) {
    // A buffer of one packet: the next one follows when the credit is back, after router, n words and two wires.
    torus_spec s = of({2});
    s.buffer = 32;
    timed_torus t(s);
    t.stream(0, 1, 512, 50);
    t.sim.run();
    const sim_time between = t.taken[40]->taken - t.taken[39]->taken;
    EXPECT_EQ(between.ps, (cycle * (4 + 32 + 4)).ps);  // the target's client takes it without the router's time
}

TEST(torus_timing, transit_and_own_packets_take_the_turns_that_they_are_given) {
    torus_spec s = of({5}, topology::mesh);
    s.transit_turns = 3;
    timed_torus t(s);
    t.stream(0, 4, 512, 400);
    t.stream(1, 4, 512, 400);
    t.sim.run_to(cycle * (32 * 400));
    std::array<double, 2> from{};
    for (const auto& row : t.statistics.rows(t.sim.events().now())) {
        if (row.path == "node0.x+.packets") from[0] = row.value;
        if (row.path == "node1.x+.packets") from[1] = row.value;
    }
    EXPECT_NEAR(from[0] / from[1], 3.0 / 4, 0.05);  // node 1 forwards four packets, of which three came from node 0
}

TEST(torus_timing, inputs_that_want_the_same_output_take_turns) {
    // Both are in transit at node 4, the middle of a plane of three by three, with one virtual channel to share or two.
    for (const unsigned channels : {1u, 2u}) {
        SCOPED_TRACE(channels);
        torus_spec s = of({3, 3}, topology::mesh);
        s.virtual_channels = channels;
        timed_torus t(s);
        t.stream(3, 7, 512, 400);
        t.stream(5, 7, 512, 400);
        t.sim.run_to(cycle * (32 * 400));
        std::array<double, 2> from{};
        for (const auto& row : t.statistics.rows(t.sim.events().now())) {
            if (row.path == "node3.x+.packets") from[0] = row.value;
            if (row.path == "node5.x-.packets") from[1] = row.value;
        }
        EXPECT_GT(from[0], 190);
        EXPECT_NEAR(from[0], from[1], 2);
    }
}

TEST(torus_timing, requests_do_not_hold_back_responses_nor_a_loop_the_links) {
    timed_torus t(of({3, 3}));
    for (unsigned n = 0; n < 9; ++n) t.stream(n, n, 160, 50);
    t.stream(0, 1, 160, 50);
    t.sim.run();
    EXPECT_EQ(t.taken.size(), 500u);
    for (const parcel* p : t.taken) EXPECT_TRUE(p->whole());
    EXPECT_EQ(t.count("in0.packets"), 0);
}

TEST(torus_timing, allocates_nothing_once_it_is_warm) {
    timed_torus t(of({4, 4}));
    struct ring final : net::client_if {
        ring(net::network_port& p, unsigned n) : port(p), number(n) { p.set_client(*this); }
        bool can_take(packet_class, const link::packet&) override { return true; }
        void take_packet(packet_class kind, const link::packet& p) override {
            ++taken;
            port.inject(kind, {p.payload, p.bytes, p.target, p.source});
        }
        void may_inject(packet_class) override {}
        const char* client_name() const override { return "ring"; }
        net::network_port& port;
        unsigned number;
        std::uint64_t taken = 0;
    };
    std::deque<ring> clients;
    for (unsigned n = 0; n < 16; ++n) clients.emplace_back(t.net.port(n), n);
    for (unsigned n = 0; n < 16; ++n) t.inject(n, (n + 7) % 16, t.parcel_of(512));
    t.sim.run_to(sim_time::from_us(50));
    const std::uint64_t before = test::allocations(), taken = clients[0].taken;
    t.sim.run_to(sim_time::from_us(500));
    EXPECT_GT(clients[0].taken, taken + 100);
    EXPECT_EQ(test::allocations(), before);
}

// ---- wires that damage words

TEST(torus_timing, every_packet_arrives_once_in_order_and_unharmed_however_bad_the_wires) {
    for (const double rate : {0.001, 0.05, 0.4}) {
        torus_spec s = of({3, 3});
        s.error_rate = rate;
        timed_torus t(s);
        for (unsigned n = 1; n < 9; ++n) t.stream(0, n, 200, 60);
        t.sim.run();
        ASSERT_EQ(t.taken.size(), 480u);
        for (const parcel* p : t.taken) EXPECT_TRUE(p->whole());
        EXPECT_EQ(t.broken(), "");
        // 13 words, 1.5 links on average; each may be damaged more than once.
        double words = 0;
        for (const auto* l : t.net.links()) words += static_cast<double>(l->statistics().words.value());
        EXPECT_NEAR(t.count(".damaged") / words, rate / (1 - rate), 0.15 * rate / (1 - rate)) << rate;
        EXPECT_EQ(t.count(".unseen"), 0);
    }
}

TEST(torus_timing, a_damaged_word_costs_a_round_trip) {
    torus_spec s = of({2});
    s.error_rate = 0.02;
    timed_torus t(s);
    t.stream(0, 1, 512, 500);
    t.sim.run();
    const double damaged = t.count(".damaged"), cycles = static_cast<double>(t.sim.events().now().ps) / 4000;
    EXPECT_GT(damaged, 250);
    EXPECT_EQ(cycles, 7 + 4 + 500 * 32 + damaged * (2 * 4 + 1));
}

TEST(torus_timing, errors_are_the_same_in_every_run_of_a_seed) {
    const auto end_of = [](std::uint64_t seed) {
        torus_spec s = of({4});
        s.error_rate = 0.01;
        s.seed = seed;
        timed_torus t(s);
        t.stream(0, 2, 512, 100);
        t.sim.run();
        return t.sim.events().now().ps;
    };
    EXPECT_EQ(end_of(5), end_of(5));
    EXPECT_NE(end_of(5), end_of(6));
}

TEST(torus_timing, a_small_retry_buffer_stops_the_link_until_words_are_acknowledged) {
    for (const std::uint32_t words : {3u, 6u, 9u, 30u}) {
        torus_spec s = of({2});
        s.retry_buffer = words;
        timed_torus t(s);
        t.stream(0, 1, 512, 500);
        t.sim.run();
        const double rate = 500 * 32 / (static_cast<double>(t.sim.events().now().ps) / 4000);
        EXPECT_NEAR(rate, std::min(1.0, words / 9.0), 0.01) << words;  // a round trip is 9 cycles
    }
}

// ---- lost credits

TEST(torus_timing, a_lost_credit_is_a_stall_that_the_watchdog_names) {
    torus_spec s = of({4});
    s.buffer = 32;
    timed_torus t(s);
    t.stream(0, 2, 512, 40);
    for (auto* l : t.net.links())
        if (l->path() == "node1.x+")
            for (unsigned c = 0; c < 4; ++c) l->lose_credit(c);
    observe::watchdog dog(t.sim, sim_time::from_us(20));
    dog.watch(t.net);
    dog.set_progress([&] { return t.net.moved(); });
    dog.set_outstanding([&] { return t.net.outstanding(); });
    EXPECT_NE(dog.run(), observe::watchdog::verdict::finished);
    std::string all;
    for (const auto& line : dog.wait_chain()) all += line + "\n";
    EXPECT_TRUE(has(all, "node1.x+")) << all;
    EXPECT_TRUE(has(all, "32 words of credit were lost")) << all;
    EXPECT_TRUE(has(t.broken(), "node1.x+: credits of virtual channel 2")) << t.broken();
    EXPECT_EQ(t.net.accepted(), t.taken.size() + t.net.outstanding());
    // After a reset the link works.
    t.net.control(core::control_verb::reset);
    EXPECT_EQ(t.net.outstanding(), 0u);
    EXPECT_EQ(t.broken(), "");
}

// ---- tori that cannot be built

TEST(torus_timing, what_cannot_be_built_is_refused) {
    const auto text = [](const torus_spec& s) { return config::first_text(net::problems_of(s)); };
    EXPECT_TRUE(has(text(of({})), "0 dimensions"));
    EXPECT_TRUE(has(text(of({2, 2, 2, 2})), "4 dimensions"));
    EXPECT_TRUE(has(text(of({64, 64, 2})), "8192 nodes"));
    torus_spec s = of({4});
    s.virtual_channels = 3;
    EXPECT_TRUE(has(text(s), "dateline"));
    s.topology = topology::mesh;
    EXPECT_TRUE(net::problems_of(s).empty());
    s.link_rate = core::bandwidth::from_gb_per_s(3);
    EXPECT_TRUE(has(text(s), "no whole number"));
    core::simulation sim;
    observe::statistics statistics;
    EXPECT_THROW(net::torus_network("", sim.events(), statistics, s), std::invalid_argument);
}

}  // namespace
