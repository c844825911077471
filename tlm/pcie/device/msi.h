// SPDX-License-Identifier: Apache-2.0
// Message-signalled interrupts: a posted write of 4 bytes. Software puts its address and value into the device's table,
// one row per vector (MSI-X). At that address is an interrupt window, which hands each message on. A posted write does
// not pass earlier ones: when the interrupt arrives, earlier writes of its function on the same path are in memory.
// Source: PCI Local Bus Specification 3.0, 6.8.2 (MSI-X); PCI Express Base Specification 3.0, 6.1.
#pragma once

#include <deque>

#include "core/little_endian.h"
#include "pcie/device/function.h"

namespace contraflow::pcie {

struct msi_message {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
};

// The table is as long as software needs; the specification limits it to 2048.
class msi_sender final : private requester_user_if {
public:
    explicit msi_sender(function& of) : function_(of) {}
    void configure(std::size_t vector, const msi_message& m) {
        if (vector >= lines_.size()) lines_.resize(vector + 1);
        lines_[vector].message = m;
        lines_[vector].enabled = true;
    }
    // Does nothing if software has not configured the vector. At most one message per vector is under way: a second
    // interrupt before it has left is the same interrupt. So raise it when the writes that it announces have left: one
    // that is raised before may be the same as one that is ahead of them.
    void raise(std::size_t vector) {
        if (vector >= lines_.size() || !lines_[vector].enabled || lines_[vector].waits) return;
        line& l = lines_[vector];
        l.waits = true;
        core::store_le<std::uint32_t>(l.bytes, l.message.data);
        l.kind = operation_kind::write;
        l.address = l.message.address;
        l.length = sizeof l.bytes;
        l.buffer = l.bytes;
        l.owner = this;
        l.stream = no_stream;
        function_.start(l);
    }
    // Empties the table.
    void reset() { lines_.clear(); }

private:
    struct line : operation {
        msi_message message;
        std::uint8_t bytes[4] = {};
        bool enabled = false;
        bool waits = false;
    };
    void finished(operation& o) override { static_cast<line&>(o).waits = false; }

    function& function_;
    std::deque<line> lines_;  // a deque, because operations refer to its elements
};

class interrupt_user_if {
public:
    // A message with that value arrived at that offset of the window.
    virtual void interrupt(std::uint64_t offset, std::uint32_t data) = 0;

protected:
    ~interrupt_user_if() = default;
};

// Accepts only messages of 4 bytes.
class interrupt_window final : public region_if {
public:
    explicit interrupt_window(interrupt_user_if& user) : user_(user) {}
    access_result write(std::uint64_t offset, const tlp& packet) override {
        const byte_span span = span_of(packet);
        if (span.length != dword || offset % dword != 0) return access_result::aborted;
        user_.interrupt(offset, core::load_le<std::uint32_t>(packet.data));
        return access_result::done;
    }
    access_result request(inbound_request&, const tlp&) override { return access_result::unsupported; }
    void fetch(const inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}

private:
    interrupt_user_if& user_;
};

}  // namespace contraflow::pcie
