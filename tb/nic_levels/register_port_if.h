// SPDX-License-Identifier: Apache-2.0
// A receive datapath that has the registers of rtl/nic_rx itself, as its RTL does. The core's bus hands every access to
// them and to BUF_LIST on, and the datapath's interrupt is the core's.
//
//   nic_core -> begin_access(), set_transmit_interrupt() -> datapath
//            <- access_ended(), show_requests(), take_message() <-
#pragma once

#include <cstdint>
#include <optional>

namespace contraflow::nic_levels {

struct register_access {
    static constexpr std::uint32_t list_offset = 0x1000;  // of BUF_LIST; registers are below

    bool write = false;
    std::uint32_t offset = 0;  // bytes
    std::uint32_t word = 0;    // of a write
};

class register_port_if {
public:
    // One at a time; nic_core::access_ended() follows, not from within.
    virtual void begin_access(const register_access& a) = 0;
    // What a read would give, without its effect. None: nothing is there.
    virtual std::optional<std::uint32_t> look(std::uint32_t offset) const = 0;
    virtual void set_transmit_interrupt(bool on) = 0;
    virtual std::uint64_t table_segment() const = 0;
    // Get requests that fit its mailbox.
    virtual std::uint32_t mailbox() const = 0;

protected:
    ~register_port_if() = default;
};

}  // namespace contraflow::nic_levels
