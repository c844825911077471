// SPDX-License-Identifier: Apache-2.0
// Sockets that ask each other at random and answer what they are asked, over every topology: everything arrives once
// and in order, also where buffers hold one packet, and nothing waits in a circle.
#include "net/network.h"

#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "core/random.h"
#include "core/simulation.h"
#include "observe/statistics.h"

using namespace contraflow;
using namespace contraflow::net;

namespace {

struct message {
    unsigned from = 0, to = 0;
    std::uint64_t number = 0;  // among those of its pair
};

// Asks `wanted` times, answers everything; at most `patience` questions are held while their answers cannot leave.
class socket final : public node_end_if {
public:
    socket(network& n, unsigned self, unsigned ends, std::uint64_t wanted, std::size_t patience)
        : net_(n.at(self)),
          self_(self),
          ends_(ends),
          wanted_(wanted),
          patience_(patience),
          draw_(self + 1) {
        n.attach(self, *this);
        choose();
    }
    void start() { ask(); }
    bool done() const { return answered_ == wanted_ && to_answer_.empty(); }
    std::uint64_t out_of_order() const { return out_of_order_; }

private:
    void choose() { target_ = static_cast<unsigned>((self_ + 1 + draw_.below(ends_ - 1)) % ends_); }
    void ask() {
        while (asked_ < wanted_ && net_.can_send(target_, traffic_class::request)) {
            auto& m = messages_.emplace_back();
            m = {self_, target_, numbers_[target_]++};
            link::packet p;
            p.load = &m;
            p.payload = 16;
            p.target = static_cast<std::uint16_t>(target_);
            ++asked_;
            choose();
            net_.send(p, traffic_class::request);
        }
    }
    void answer() {
        while (!to_answer_.empty()) {
            message* const m = to_answer_.front();
            if (!net_.can_send(m->from, traffic_class::response)) return;
            to_answer_.pop_front();
            link::packet p;
            p.load = m;
            p.payload = 128;
            p.target = static_cast<std::uint16_t>(m->from);
            net_.send(p, traffic_class::response);
        }
    }
    void take_questions() {
        while (to_answer_.size() < patience_ && net_.has(traffic_class::request)) {
            auto* const m = static_cast<message*>(net_.take(traffic_class::request).load);
            EXPECT_EQ(m->to, self_);
            if (m->number != expected_[m->from]++) ++out_of_order_;
            to_answer_.push_back(m);
            answer();
        }
    }
    void packet_arrived(traffic_class c) override {
        if (c == traffic_class::request) return take_questions();
        while (net_.has(c)) {
            const auto* const m = static_cast<const message*>(net_.take(c).load);
            EXPECT_EQ(m->from, self_);
            ++answered_;
        }
    }
    void network_ready(traffic_class c) override {
        if (c == traffic_class::request) return ask();
        answer();
        take_questions();
    }
    void packet_dropped(const link::packet&) override { ADD_FAILURE() << "nothing is reset here"; }

    router& net_;
    const unsigned self_, ends_;
    const std::uint64_t wanted_;
    const std::size_t patience_;
    core::random_source draw_;
    unsigned target_ = 0;
    std::uint64_t asked_ = 0, answered_ = 0, out_of_order_ = 0;
    std::deque<message> messages_;
    std::deque<message*> to_answer_;
    std::map<unsigned, std::uint64_t> numbers_, expected_;
};

struct shape {
    topology kind;
    unsigned ends;
    std::uint32_t queue;
    core::bytes buffer;
    std::size_t patience;
};

network_spec spec_of(const shape& s) {
    network_spec n;
    n.topology = s.kind;
    n.link.queue = s.queue;
    n.link.receive_buffer = s.buffer;
    return n;
}

class traffic : public ::testing::TestWithParam<shape> {};

}  // namespace

TEST_P(traffic, between_all_pairs_arrives_once_and_in_order) {
    const shape s = GetParam();
    constexpr std::uint64_t questions = 400;
    core::simulation sim;
    observe::statistics statistics;
    network n({sim.events(), statistics, core::sim_time::from_ns(1), core::sim_time::from_us(1)}, spec_of(s), s.ends);
    std::deque<socket> sockets;
    for (unsigned i = 0; i < s.ends; ++i) sockets.emplace_back(n, i, s.ends, questions, s.patience);
    for (auto& one : sockets) one.start();
    sim.run();
    for (const auto& one : sockets) {
        EXPECT_TRUE(one.done());
        EXPECT_EQ(one.out_of_order(), 0u);
    }
    EXPECT_EQ(n.outstanding(), 0u);
    n.settle();
    observe::conservation checks;
    n.check(checks);
    for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " and " << c.out;
    std::uint64_t taken = 0;
    for (unsigned i = 0; i < s.ends; ++i) taken += n.at(i).taken();
    EXPECT_EQ(taken, 2 * questions * s.ends);
}

INSTANTIATE_TEST_SUITE_P(all, traffic,
                         ::testing::Values(shape{topology::switched, 4, 16, core::bytes{16384}, 8},
                                           shape{topology::full, 4, 16, core::bytes{16384}, 8},
                                           shape{topology::ring, 4, 16, core::bytes{16384}, 8},
                                           shape{topology::ring, 8, 16, core::bytes{16384}, 8},
                                           shape{topology::switched, 8, 1, core::bytes{144}, 1},
                                           shape{topology::full, 3, 1, core::bytes{144}, 1},
                                           shape{topology::ring, 2, 1, core::bytes{144}, 1},
                                           shape{topology::ring, 5, 1, core::bytes{144}, 1},
                                           shape{topology::ring, 8, 1, core::bytes{144}, 1}));

TEST(network, an_end_that_takes_nothing_is_named) {
    core::simulation sim;
    observe::statistics statistics;
    shape s{topology::switched, 3, 1, core::bytes{144}, 0};
    network n({sim.events(), statistics, core::sim_time::from_ns(1), core::sim_time::from_us(1)}, spec_of(s), 3);
    std::deque<socket> sockets;
    for (unsigned i = 0; i < 3; ++i) sockets.emplace_back(n, i, 3, 50, i == 1 ? 0 : 8);
    for (auto& one : sockets) one.start();
    sim.run_until(core::sim_time::from_us(200));
    EXPECT_GT(n.outstanding(), 0u);
    std::vector<core::wait_edge> edges;
    for (const auto* w : n.waiters()) w->report_waits(edges);
    bool named = false;
    for (const auto& e : edges) named = named || e.holder == "gpu[1]";
    EXPECT_TRUE(named);
}
