// SPDX-License-Identifier: Apache-2.0
// Devices written against link_if.h alone: they can use our switch without our port.
#include <deque>
#include <stdexcept>

#include <gtest/gtest.h>

#include "observe/watchdog.h"
#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;

namespace {

constexpr std::uint64_t memory = 0x40'0000'0000;  // of the device on the right

// Sends writes within its credits, one after the other, and drops them once they are acknowledged.
struct outside_initiator : sc_core::sc_module, link_bw_if {
    link_tx_socket tx{"tx"};
    core::scheduler& events;
    tlp_pool& pool;
    credit_account account;
    std::deque<tlp*> unacknowledged;
    std::uint64_t first = 0;
    std::uint64_t sent = 0;
    std::uint64_t count;
    outside_initiator(const sc_core::sc_module_name& n, core::scheduler& e, tlp_pool& p, std::uint64_t packets)
        : sc_module(n),
          events(e),
          pool(p),
          count(packets) {
        tx.bind(*this);
    }
    ~outside_initiator() override {
        for (tlp* p : unacknowledged) p->release();
    }
    void receive_dllp(const dllp& d) override {
        if (d.kind == dllp_kind::ack)
            for (; first < d.next_sequence; ++first) {
                unacknowledged.front()->release();
                unacknowledged.pop_front();
            }
        if (d.kind == dllp_kind::init_flow_control || d.kind == dllp_kind::update_flow_control) {
            account.set_limit(d.flow, d.limit);
            events.after<&outside_initiator::go_on>({}, this);
        }
    }
    void go_on() {
        while (sent < count && account.allows(credit_class::posted, 64)) {
            tlp* p = pool.take(tlp_kind::memory_write);
            p->length = 64;
            p->address = memory + sent * 64;
            fill_payload(1, sent * 64, p->data, 64);
            account.consume(credit_class::posted, 64);
            unacknowledged.push_back(p);
            const auto now = events.now() + core::sim_time::from_ns(10 * sent);
            tx->receive_tlp({p, sent++, false, now + core::sim_time::from_ns(4), now + core::sim_time::from_ns(9)});
        }
    }
};

// Accepts everything, acknowledges, and returns credits or not.
struct outside_target : sc_core::sc_module, link_fw_if {
    link_rx_socket rx{"rx"};
    core::scheduler& events;
    bool generous;
    std::vector<std::uint8_t> bytes;
    std::uint64_t taken = 0;
    outside_target(const sc_core::sc_module_name& n, core::scheduler& e, bool g)
        : sc_module(n),
          events(e),
          generous(g) {
        rx.bind(*this);
    }
    void start_of_simulation() override {
        for (const auto c : all_credit_classes) rx->receive_dllp({dllp_kind::init_flow_control, 0, c, {4, 64}});
    }
    void receive_tlp(const tlp_transfer& t) override {
        if (t.sequence != taken) return;  // received before
        bytes.insert(bytes.end(), t.packet->data, t.packet->data + t.packet->payload());
        ++taken;
        if (generous) events.at<&outside_target::reply>(t.tail, this);
    }
    void reply() {
        rx->receive_dllp({dllp_kind::ack, taken, credit_class::posted, {}});
        rx->receive_dllp({dllp_kind::update_flow_control, 0, credit_class::posted, {4 + taken, 64 + 4 * taken}});
    }
};

// The half of a link that an outside device does not use.
struct idle_target : sc_core::sc_module, link_fw_if {
    link_rx_socket rx{"rx"};
    explicit idle_target(const sc_core::sc_module_name& n) : sc_module(n) { rx.bind(*this); }
    void receive_tlp(const tlp_transfer&) override {}
};
struct idle_initiator : sc_core::sc_module, link_bw_if {
    link_tx_socket tx{"tx"};
    explicit idle_initiator(const sc_core::sc_module_name& n) : sc_module(n) { tx.bind(*this); }
    void receive_dllp(const dllp&) override {}
};

struct bench {
    core::simulation sim;
    observe::statistics statistics;
    tlp_pool pool{64};
    outside_initiator from;
    idle_target from_rx{"from_rx"};
    outside_target to;
    idle_initiator to_tx{"to_tx"};
    pcie_switch sw;

    static pcie_switch::spec spec() {
        port::spec p;
        p.raw = link_rate{}.raw();
        p.buffers = {receive_buffer{8, 1024}, receive_buffer{8, 0}, receive_buffer{8, 1024}};
        p.replay_tlps = 16;
        p.dllp_latency = core::sim_time::from_ns(100);
        p.replay_timeout = core::sim_time::from_us(1000);
        pcie_switch::spec s;
        s.ports = {{"left", p}, {"right", p}};
        return s;
    }
    static route_table routes() {
        route_table t;
        t.add_window(memory, memory + 0xfffff, 1);
        return t;
    }
    bench(std::uint64_t packets, bool generous)
        : from("from", sim.events(), pool, packets),
          to("to", sim.events(), generous),
          sw("sw", {sim.events(), statistics}, pool, spec(), routes()) {
        from.tx.bind(sw.at(0).rx);
        sw.at(0).tx.bind(from_rx.rx);
        sw.at(1).tx.bind(to.rx);
        to_tx.tx.bind(sw.at(1).rx);
        sw.at(1).set_peer_name("to");
    }
};

}  // namespace

TEST(outside, an_initiator_and_a_target_of_others_work_with_our_switch) {
    bench b(100, true);
    b.sim.run();
    EXPECT_EQ(b.to.taken, 100u);
    EXPECT_EQ(count_wrong(1, 0, b.to.bytes.data(), 6400), 0u);
    EXPECT_EQ(b.pool.in_flight(), 0u);
    EXPECT_TRUE(b.sw.at(0).idle());
}

TEST(outside, the_watchdog_names_who_never_gave_credits_back) {
    bench b(100, false);
    observe::watchdog dog(b.sim, core::sim_time::from_us(50));
    dog.watch(b.sw);
    dog.set_progress([&] { return b.to.taken; });
    dog.set_outstanding([&] { return 100 - b.to.taken; });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::stalled);
    EXPECT_EQ(b.to.taken, 4u);
    std::string chain;
    for (const auto& line : dog.wait_chain()) chain += line + "\n";
    EXPECT_NE(chain.find("sw.left waits for posted header credit of to"), std::string::npos) << chain;
}

TEST(outside, a_sender_that_ignores_credits_is_an_error) {
    bench b(0, true);
    b.from.count = 100;
    struct rude {
        bench& b;
        void go() {
            for (std::uint64_t i = 0; i < 20; ++i) {
                tlp* p = b.pool.take(tlp_kind::memory_write);
                p->length = 64;
                p->address = memory;
                b.from.tx->receive_tlp({p, i, false, b.sim.events().now(), b.sim.events().now()});
            }
        }
    } r{b};
    b.from.count = 0;
    b.sim.events().at<&rude::go>(core::sim_time::from_ns(1), &r);
    EXPECT_THROW(b.sim.run(), std::logic_error);
}
