// SPDX-License-Identifier: Apache-2.0
// The ordering rules: only a completion with the relaxed-ordering attribute passes a posted write. Tests a port alone,
// and a switch whose output accepts no more writes.
#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;

namespace {

constexpr core::sim_time ns(std::uint64_t n) { return core::sim_time::from_ns(n); }

constexpr std::uint64_t beyond = 0x40'0000'0000;

route_table to_the_right() {
    route_table t;
    t.add_window(beyond, beyond + 0xfffff, 1);
    t.add_functions(function_id::of(0, 2), function_id::of(0, 2, 31, 7), 1);
    return t;
}

port::spec line() {
    port::spec p;
    p.raw = link_rate{}.raw();
    p.buffers = {receive_buffer{8, 1024}, receive_buffer{8, 1024}, receive_buffer{8, 1024}};
    p.replay_tlps = 16;
    p.dllp_latency = ns(100);
    p.replay_timeout = core::sim_time::from_us(1000);
    return p;
}

// The other end of both directions of a link, controlled by the test.
struct far_end : sc_core::sc_module, link_bw_if, link_fw_if {
    link_tx_socket tx{"tx"};
    link_rx_socket rx{"rx"};
    tlp_pool& pool;
    std::deque<tlp*> sent;  // sent and not acknowledged
    std::uint64_t sequence = 0, acknowledged = 0;
    std::uint64_t posted = 0, non_posted = 8;         // headers that this end accepts
    std::vector<std::pair<tlp_kind, unsigned>> came;  // kind and tag

    far_end(const sc_core::sc_module_name& n, tlp_pool& p) : sc_module(n), pool(p) {
        tx.bind(*this);
        rx.bind(*this);
    }
    ~far_end() override {
        for (tlp* p : sent) p->release();
    }
    void start_of_simulation() override {
        for (const auto c : all_credit_classes)
            rx->receive_dllp({dllp_kind::init_flow_control,
                              0,
                              c,
                              {c == credit_class::posted       ? posted
                               : c == credit_class::non_posted ? non_posted
                                                               : 8,
                               1024}});
    }
    void give(tlp_kind kind, unsigned tag, bool relaxed, core::sim_time now) {
        tlp* const p = pool.take(kind);
        p->length = 64;
        p->tag = static_cast<std::uint16_t>(tag);
        p->relaxed = relaxed;
        p->address = beyond;  // requests go to the right by their address, completions by their number
        p->requester = function_id::of(0, 2);
        p->byte_count = 64;
        p->lower_address = 0;
        sent.push_back(p);
        tx->receive_tlp({p, sequence++, false, now, now});
    }
    void receive_dllp(const dllp& d) override {
        for (; d.kind == dllp_kind::ack && acknowledged < d.next_sequence; ++acknowledged) {
            sent.front()->release();
            sent.pop_front();
        }
    }
    void receive_tlp(const tlp_transfer& t) override { came.emplace_back(t.packet->kind, t.packet->tag); }
};

struct one_port : port_owner_if {
    core::simulation sim;
    observe::statistics statistics;
    tlp_pool pool{64};
    far_end peer{"peer", pool};
    port tested{"port", {sim.events(), statistics}, line(), *this, 0};

    one_port() {
        peer.tx.bind(tested.rx);
        tested.tx.bind(peer.rx);
        sim.run_to(ns(1));
    }
    admission admit(unsigned, const tlp_transfer& t) override { return {t.tail, 0}; }
    void head_ready(unsigned, credit_class) override {}
    void transmitted(unsigned) override {}
    void may_transmit(unsigned) override {}
    void come(tlp_kind kind, bool relaxed = false) { peer.give(kind, 0, relaxed, sim.events().now()); }
    bool leaves(credit_class c) const { return tested.may_leave(c); }
    void take(credit_class c) { tested.pop(c)->release(); }
};

TEST(ordering, nothing_passes_an_older_posted_write) {
    for (const auto& [kind, flow] : {std::pair{tlp_kind::memory_read, credit_class::non_posted},
                                     std::pair{tlp_kind::atomic, credit_class::non_posted},
                                     std::pair{tlp_kind::deferrable_write, credit_class::non_posted},
                                     std::pair{tlp_kind::completion, credit_class::completion}}) {
        one_port p;
        p.come(tlp_kind::memory_write);
        p.come(kind);
        EXPECT_TRUE(p.leaves(credit_class::posted));
        EXPECT_FALSE(p.leaves(flow));
        p.take(credit_class::posted);
        EXPECT_TRUE(p.leaves(flow));
        p.take(flow);
    }
}

TEST(ordering, a_younger_posted_write_is_in_nobodys_way) {
    one_port p;
    p.come(tlp_kind::memory_read);
    p.come(tlp_kind::completion);
    p.come(tlp_kind::memory_write);
    for (const auto c : all_credit_classes) EXPECT_TRUE(p.leaves(c));
    for (const auto c : all_credit_classes) p.take(c);
}

TEST(ordering, a_completion_with_relaxed_ordering_passes_posted_writes_and_a_read_with_it_does_not) {
    one_port p;
    p.come(tlp_kind::memory_write);
    p.come(tlp_kind::completion, true);
    p.come(tlp_kind::completion, false);
    p.come(tlp_kind::memory_read, true);
    EXPECT_TRUE(p.leaves(credit_class::completion));
    EXPECT_FALSE(p.leaves(credit_class::non_posted));
    p.take(credit_class::completion);
    EXPECT_FALSE(p.leaves(credit_class::completion));  // the next one lacks the attribute
    p.take(credit_class::posted);
    EXPECT_TRUE(p.leaves(credit_class::completion));
    p.take(credit_class::completion);
    p.take(credit_class::non_posted);
}

// A switch between two ends. The right one takes that many requests and never gives a credit back.
struct blocked_switch {
    core::simulation sim;
    observe::statistics statistics;
    tlp_pool pool{64};
    far_end left{"left", pool}, right{"right", pool};
    pcie_switch sw;

    blocked_switch(std::uint64_t posted, std::uint64_t non_posted, std::uint32_t split)
        : sw("sw", {sim.events(), statistics}, pool, spec(split), to_the_right()) {
        left.posted = 8;
        right.posted = posted;
        right.non_posted = non_posted;
        left.tx.bind(sw.at(0).rx);
        sw.at(0).tx.bind(left.rx);
        right.tx.bind(sw.at(1).rx);
        sw.at(1).tx.bind(right.rx);
        sw.at(1).set_peer_name("right");
        sim.run_to(ns(1));
    }
    void send(tlp_kind kind, unsigned tag, bool relaxed = false) { left.give(kind, tag, relaxed, sim.events().now()); }
    static pcie_switch::spec spec(std::uint32_t split) {
        pcie_switch::spec s;
        s.ports = {{"left", line()}, {"right", line()}};
        s.split = split;
        return s;
    }
    // Later.
    std::string came() {
        sim.run_to(sim.events().now() + core::sim_time::from_us(10));
        std::string all;
        for (const auto& [kind, tag] : right.came) all += std::to_string(tag);
        return all;
    }
};

// Two writes, one of which has a credit, and two completions behind them.
struct blocked_writes : blocked_switch {
    blocked_writes(bool relaxed, std::uint32_t split) : blocked_switch(1, 8, split) {
        send(tlp_kind::memory_write, 1);
        send(tlp_kind::memory_write, 2);
        send(tlp_kind::completion, 3, relaxed);
        send(tlp_kind::completion, 4, relaxed);
    }
};

TEST(ordering, a_switch_lets_relaxed_completions_by_where_writes_wait_for_credits) {
    EXPECT_EQ(blocked_writes(true, 0).came(), "134");
    EXPECT_EQ(blocked_writes(true, 32).came(), "13344");  // pieces keep the attribute; a write's second has no credit
    blocked_writes strict(false, 0);
    EXPECT_EQ(strict.came(), "1");
    std::vector<core::wait_edge> waits;
    strict.sw.report_waits(waits);
    ASSERT_EQ(waits.size(), 2u);
    EXPECT_EQ(waits[0].resource, "posted header credit");
    EXPECT_EQ(waits[0].holder, "right");
    EXPECT_EQ(waits[1].resource, "an older posted write");
}

TEST(ordering, posted_writes_pass_requests_that_wait_for_credits_in_a_switch_and_stay_in_order) {
    blocked_switch s(8, 1, 0);
    for (const unsigned tag : {1u, 2u}) s.send(tlp_kind::memory_read, tag);
    for (const unsigned tag : {3u, 4u, 5u}) s.send(tlp_kind::memory_write, tag);
    s.send(tlp_kind::completion, 6);
    EXPECT_EQ(s.came(), "13456");
}

}  // namespace
