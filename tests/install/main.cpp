// SPDX-License-Identifier: Apache-2.0
// The use of an installed Contraflow by another project: binds the PCIe switch to an initiator and a target of its
// own.
#include <cstdio>
#include <deque>
#include <vector>

#include "core/simulation.h"
#include "observe/registry.h"
#include "pcie/dma/stream.h"
#include "pcie/fabric/pcie_switch.h"
#include "pcie/link/link_if.h"

namespace core = contraflow::core;
namespace pcie = contraflow::pcie;

namespace {

constexpr std::uint64_t packets = 1000;
constexpr std::uint32_t payload = 64;

// Writes within the credits it is given, and keeps each packet until it is acknowledged.
constexpr std::uint64_t memory = 0x40'0000'0000;  // addresses of the target

struct my_initiator final : sc_core::sc_module, pcie::link_bw_if {
    my_initiator(const sc_core::sc_module_name& name, core::scheduler& e, pcie::tlp_pool& p)
        : sc_module(name),
          events(e),
          pool(p) {
        tx.bind(*this);
    }
    void receive_dllp(const pcie::dllp& d) override {
        if (d.kind == pcie::dllp_kind::ack) {
            for (; first < d.next_sequence; ++first, kept.pop_front()) kept.front()->release();
            return;
        }
        if (d.kind == pcie::dllp_kind::nak) return;  // no errors here
        account.set_limit(d.flow, d.limit);
        events.after<&my_initiator::send>({}, this);
    }
    void send() {
        for (; sent < packets && account.allows(pcie::credit_class::posted, payload); ++sent) {
            pcie::tlp* const packet = pool.take(pcie::tlp_kind::memory_write);
            packet->length = payload;
            packet->address = memory + sent * payload;
            pcie::fill_payload(1, sent * payload, packet->data, payload);
            account.consume(pcie::credit_class::posted, payload);
            kept.push_back(packet);
            const auto now = events.now();
            tx->receive_tlp({packet, sent, false, now + core::sim_time::from_ns(4), now + core::sim_time::from_ns(10)});
        }
    }
    pcie::link_tx_socket tx{"tx"};
    core::scheduler& events;
    pcie::tlp_pool& pool;
    pcie::credit_account account;
    std::deque<pcie::tlp*> kept;
    std::uint64_t first = 0;
    std::uint64_t sent = 0;
};

// Checks arrivals and returns their credits at once.
struct my_target final : sc_core::sc_module, pcie::link_fw_if {
    my_target(const sc_core::sc_module_name& name, core::scheduler& e) : sc_module(name), events(e) { rx.bind(*this); }
    void start_of_simulation() override {
        for (const auto c : pcie::all_credit_classes)
            rx->receive_dllp({pcie::dllp_kind::init_flow_control, 0, c, {8, 64}});
    }
    void receive_tlp(const pcie::tlp_transfer& t) override {
        if (t.sequence != taken) return;
        wrong += pcie::count_wrong(1, taken * payload, t.packet->data, t.packet->payload());
        ++taken;
        events.at<&my_target::reply>(t.tail, this);
    }
    void reply() {
        rx->receive_dllp({pcie::dllp_kind::ack, taken, pcie::credit_class::posted, {}});
        rx->receive_dllp(
            {pcie::dllp_kind::update_flow_control, 0, pcie::credit_class::posted, {8 + taken, 64 + 4 * taken}});
    }
    pcie::link_rx_socket rx{"rx"};
    core::scheduler& events;
    std::uint64_t taken = 0;
    std::uint64_t wrong = 0;
};

// The unused halves of the two links.
struct no_target final : sc_core::sc_module, pcie::link_fw_if {
    explicit no_target(const sc_core::sc_module_name& name) : sc_module(name) { rx.bind(*this); }
    void receive_tlp(const pcie::tlp_transfer&) override {}
    pcie::link_rx_socket rx{"rx"};
};
struct no_initiator final : sc_core::sc_module, pcie::link_bw_if {
    explicit no_initiator(const sc_core::sc_module_name& name) : sc_module(name) { tx.bind(*this); }
    void receive_dllp(const pcie::dllp&) override {}
    pcie::link_tx_socket tx{"tx"};
};

pcie::pcie_switch::spec two_ports() {
    const pcie::link_rate rate{4, 8};
    pcie::port::spec p;
    p.raw = rate.raw();
    p.overhead = pcie::framing::of(rate.generation);
    p.buffers = {pcie::receive_buffer{16, 4096}, pcie::receive_buffer{16, 0}, pcie::receive_buffer{16, 4096}};
    p.dllp_latency = pcie::port::default_dllp_latency(rate, payload);
    p.replay_timeout = pcie::port::default_replay_timeout(rate, payload);
    pcie::pcie_switch::spec s;
    s.ports = {{"left", p}, {"right", p}};
    return s;
}

}  // namespace

int main() {
    core::simulation sim;
    contraflow::observe::statistics statistics;
    pcie::tlp_pool pool(payload);
    my_initiator initiator("initiator", sim.events(), pool);
    no_target nothing_back("nothing_back");
    my_target target("target", sim.events());
    no_initiator nothing_sent("nothing_sent");
    pcie::route_table routes;
    routes.add_window(memory, memory + 0xfffff, 1);
    pcie::pcie_switch sw("sw", {sim.events(), statistics}, pool, two_ports(), routes);
    initiator.tx.bind(sw.at(0).rx);
    sw.at(0).tx.bind(nothing_back.rx);
    sw.at(1).tx.bind(target.rx);
    nothing_sent.tx.bind(sw.at(1).rx);
    sim.run();
    std::printf("%llu of %llu packets through the switch, %llu bytes wrong, %zu packets never released\n",
                static_cast<unsigned long long>(target.taken), static_cast<unsigned long long>(packets),
                static_cast<unsigned long long>(target.wrong), pool.in_flight());
    return target.taken == packets && target.wrong == 0 && pool.in_flight() == 0 ? 0 : 1;
}

// A program may have its own, in place of the library's.
int sc_main(int, char**) { return 0; }
