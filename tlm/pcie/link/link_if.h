// SPDX-License-Identifier: Apache-2.0
// The two ends of a link direction: TLPs travel forward, DLLPs about them backward. A port has one socket to send
// (link_tx_socket) and one to receive (link_rx_socket); a link binds each port's tx to the other's rx.
// Any class that implements link_bw_if and respects the credits may drive an rx socket: it need not be a pcie::port.
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>

#include "core/units.h"
#include "pcie/link/flow_control.h"
#include "pcie/tlp.h"

namespace contraflow::pcie {

// A TLP that crosses one link. It is handed over when its first byte is sent; the receiver takes its own reference.
struct tlp_transfer {
    tlp* packet = nullptr;
    std::uint64_t sequence = 0;  // counts from 0; the 12 bits on the wire are its lowest
    bool corrupted = false;      // LCRC will not match
    core::sim_time head{};       // when the header has arrived
    core::sim_time tail{};       // when the last byte has arrived
};

enum class dllp_kind : std::uint8_t { ack, nak, init_flow_control, update_flow_control };

// Arrives at the time of the call. A corrupted one is never delivered.
struct dllp {
    dllp_kind kind = dllp_kind::ack;
    std::uint64_t next_sequence = 0;           // ack, nak: every TLP before this one has arrived intact
    credit_class flow = credit_class::posted;  // flow control: the class of the credits
    credit_count limit{};                      // flow control: credits given since the start or the last reset
};

// Names the protocol of a socket: only sockets of the same protocol bind.
struct link_protocol {
    using tlm_payload_type = tlp_transfer;
    using tlm_phase_type = dllp;
};

class link_fw_if : public virtual sc_core::sc_interface {
public:
    using protocol_types = link_protocol;
    virtual void receive_tlp(const tlp_transfer& transfer) = 0;
};

class link_bw_if : public virtual sc_core::sc_interface {
public:
    using protocol_types = link_protocol;
    virtual void receive_dllp(const dllp& packet) = 0;
};

using link_tx_socket = tlm::tlm_base_initiator_socket<32, link_fw_if, link_bw_if>;
using link_rx_socket = tlm::tlm_base_target_socket<32, link_fw_if, link_bw_if>;

}  // namespace contraflow::pcie
