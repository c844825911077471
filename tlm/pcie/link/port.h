// SPDX-License-Identifier: Apache-2.0
// One end of a link: sends TLPs within the credits of the other end and keeps them until they are acknowledged;
// receives TLPs that arrive intact and in order, holds them in finite buffers by class, acknowledges them, and returns
// credits. DLLPs take bandwidth of this end's direction, and leave before waiting TLPs. The receive buffers are no
// core::channel: their owner pulls from three of them under one ordering rule, and credits return as counts in DLLPs,
// which may be lost.
// Source: PCI Express Base Specification 3.0, chapter 3 (data link layer), 2.6 (flow control).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "pcie/link/fault_if.h"
#include "pcie/link/link_if.h"
#include "pcie/link/link_rate.h"
#include "pcie/link/port_observer_if.h"
#include "pcie/link/port_statistics.h"
#include "pcie/link/replay_buffer.h"
#include "pcie/link/wire.h"

namespace contraflow::pcie {

// A TLP in a receive buffer.
struct received_tlp {
    tlp* packet = nullptr;
    std::uint64_t order = 0;    // order of arrival among all classes of this port
    core::sim_time ready{};     // the time from which its owner may act on it
    unsigned out = 0;           // for its owner: the port by which it leaves
    std::uint32_t payload = 0;  // bytes; kept here so that readers need not access the packet
};

// The port owner's decision about a TLP that arrives.
struct admission {
    core::sim_time ready{};  // the time from which it may be acted on
    unsigned out = 0;
};

// A request that was sent and has not been answered.
struct open_request {
    std::uint64_t address = 0;
    core::sim_time since{};
};

// The device a port belongs to.
class port_owner_if {
public:
    virtual ~port_owner_if() = default;
    // This TLP is on the wire and will arrive intact.
    virtual admission admit(unsigned port, const tlp_transfer& transfer) = 0;
    // The receive buffer of that class has a new front, which is ready.
    virtual void head_ready(unsigned port, credit_class c) = 0;
    // The last byte of the TLP given to send() has left.
    virtual void transmitted(unsigned port) = 0;
    // Whether transmitted() and may_transmit() do anything at the end of the TLP given to send(). What comes later asks
    // for may_transmit() by wake_when_free().
    virtual bool awaits_wire(unsigned) const { return true; }
    // This port may send again: the wire is free, or credits or room in the replay buffer have come back.
    virtual void may_transmit(unsigned port) = 0;
    // Appends the device's own requests; a switch has none.
    virtual void report_open_requests(std::vector<open_request>&) const {}
};

class port : public sc_core::sc_module, public link_fw_if, public link_bw_if {
public:
    struct spec {
        core::bandwidth raw{};  // after line encoding
        framing overhead{};
        core::sim_time propagation = core::sim_time::from_ns(5);
        std::array<receive_buffer, credit_classes> buffers{};  // by class
        std::size_t replay_tlps = 64;
        core::sim_time dllp_latency{};    // longest delay from a TLP to its ack, and from a freed buffer to its update
        core::sim_time replay_timeout{};  // an unacknowledged TLP is sent again after this
        core::sim_time flow_control_refresh = core::sim_time::from_us(30);  // on a faulty link (2.6.1.2)
    };
    // Resources that all ports of a fabric share.
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
    };
    port(const sc_core::sc_module_name& name, const resources& shared, const spec& s, port_owner_if& owner,
         unsigned number);
    ~port() override;

    link_tx_socket tx;
    link_rx_socket rx;

    // --- sending
    // The reason why a TLP cannot start now.
    enum class hold : std::uint8_t { none, wire, replay_space, replaying, credits };
    hold held(credit_class c, std::uint32_t payload_bytes) const;
    // The wire is free, and no replay is due.
    bool wire_idle() const { return !replaying() && events_.now() >= wire_.free_at(); }
    // Takes over the caller's reference. Only allowed when held() is none.
    void send(tlp* packet);
    // Asks for may_transmit() once the wire is free.
    void wake_when_free();
    // A TLP is ready and the wire is free, but credits or replay space are missing. The time from now until the next
    // TLP leaves, or the reason changes, counts as a stall.
    void note_hold(hold why);

    // --- receiving
    bool has(credit_class c) const { return !queues_[index(c)].empty(); }
    const received_tlp& front(credit_class c) const { return queues_[index(c)].front(); }
    bool front_ready(credit_class c) const { return has(c) && front(c).ready <= events_.now(); }
    // Removes the front and frees its space; the caller owns the reference.
    tlp* pop(credit_class c);
    // Only reordering that 2.4.1 allows: of all other TLPs, only a completion with relaxed ordering passes a posted
    // write.
    bool may_leave(credit_class c) const;

    // --- the link
    const port_owner_if& owner() const { return owner_; }
    void set_faults(fault_if* faults) { faults_ = faults; }
    void set_observer(port_observer_if* observer, unsigned id) {
        observer_ = observer;
        observer_id_ = id;
    }
    std::size_t queued(credit_class c) const { return queues_[index(c)].size(); }
    std::size_t unacknowledged() const { return replay_.size(); }
    // Falls to another width or speed; nothing is sent during retraining.
    void retrain(core::bandwidth raw, core::sim_time dllp_latency, core::sim_time replay_timeout,
                 core::sim_time duration);
    const wire& line() const { return wire_; }
    const credit_account& credits() const { return account_; }
    // Drops everything it holds and clears its peer's state. Reset both ends of a link together; then both
    // advertise().
    void reset();
    // Sends the sizes of the receive buffers to the peer.
    void advertise();
    // All credits of the other end are back, nothing waits for an acknowledgement, no TLP is held.
    bool idle() const;
    bool credits_home() const;
    // Reports what keeps a TLP of that class and payload from leaving here, on behalf of `waiter`.
    void report_wait(credit_class c, std::uint32_t payload_bytes, const std::string& waiter,
                     std::vector<core::wait_edge>& edges) const;
    void set_peer_name(std::string name) { peer_name_ = std::move(name); }
    const std::string& peer_name() const { return peer_name_; }
    port_statistics& statistics() { return statistics_; }
    const port_statistics& statistics() const { return statistics_; }

    // The longest delay of a DLLP, by the specification's formula (table 3-7), and three times that.
    static core::sim_time default_dllp_latency(link_rate rate, std::uint32_t max_payload);
    static core::sim_time default_replay_timeout(link_rate rate, std::uint32_t max_payload);

private:
    struct dllp_batch {  // DLLPs that leave together
        core::sim_time arrival{};
        dllp_kind acknowledgement = dllp_kind::ack;
        bool acknowledges = false;
        std::uint64_t next_sequence = 0;
        std::array<bool, credit_classes> updates{};
        std::array<credit_count, credit_classes> limits{};
    };

    static std::size_t index(credit_class c) { return static_cast<std::size_t>(c); }
    void start_of_simulation() override;
    void receive_tlp(const tlp_transfer& transfer) override;
    void receive_dllp(const dllp& packet) override;

    bool replaying() const { return replay_next_ < replay_.next(); }
    void transmit(tlp* packet, std::uint64_t sequence, bool again);
    void tell_observer() {
        if (observer_ != nullptr) observer_->changed(observer_id_, *this, events_.now());
    }
    void wire_free();
    void announce(credit_class c);
    void queue_head_ready(std::uint32_t c);
    void drop_received();
    void request_dllp(core::sim_time at);
    void send_dllps();
    bool dllp_survives();
    void deliver_dllps();
    void check_replay_timer();
    void arm_replay_timer();
    void refresh_flow_control();

    core::scheduler& events_;
    const spec spec_;
    port_owner_if& owner_;
    const unsigned number_;
    std::string peer_name_;
    fault_if* faults_ = nullptr;
    port_observer_if* observer_ = nullptr;
    unsigned observer_id_ = 0;
    port_statistics statistics_;

    // sending
    wire wire_;
    credit_account account_;
    replay_buffer replay_;
    std::uint64_t replay_next_ = 0;  // the next TLP to send again; equals replay_.next() when there is no replay
    bool sending_ = false;           // the wire carries a TLP for the first time
    core::sim_time oldest_since_{};  // when the oldest unacknowledged TLP was (last) sent
    core::sim_time sent_at_{};       // when the TLP that is being sent has left
    core::sim_time dllp_latency_;
    core::sim_time replay_timeout_;
    core::sim_time retrained_at_{};  // the link is down until then
    hold stall_ = hold::none;
    core::sim_time blocked_since_{};  // the start of the stall
    std::array<credit_count, credit_classes> peer_initial_{};

    // receiving
    std::array<core::bounded_queue<received_tlp>, credit_classes> queues_;
    std::array<credit_count, credit_classes> limit_{};  // credits given since the start
    std::array<bool, credit_classes> update_due_{};
    std::array<credit_count, credit_classes> delivered_limit_{};  // the last limit that was delivered
    std::uint64_t expected_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t held_ = 0;  // TLPs in the queues
    bool ack_due_ = false;
    bool nak_due_ = false;
    bool again_due_ = false;                                    // a TLP that had arrived before came again
    core::sim_time nak_at_{};                                   // not before the corrupted TLP's end
    core::bounded_queue<core::sim_time> unacknowledged_tails_;  // when each accepted TLP's last byte arrives
    std::uint64_t arrived_ = 0;                                 // TLPs whose last byte has arrived
    std::uint64_t acknowledged_ = 0;
    bool nak_sent_ = false;  // one nak until the expected TLP comes (3.5.3.1)
    core::bounded_queue<dllp_batch> dllps_on_the_way_;

    core::timer<&port::wire_free> wake_;
    core::timer<&port::check_replay_timer> replay_timer_;
    core::timer<&port::send_dllps> dllps_;  // when the next DLLPs leave
    core::timer<&port::refresh_flow_control> refresh_;
    core::cancellable_calls<port> calls_;
};

}  // namespace contraflow::pcie
