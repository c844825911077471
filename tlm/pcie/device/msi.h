// SPDX-License-Identifier: Apache-2.0
// Message-signalled interrupts: a posted write of 4 bytes to an address that software has configured. Behind that
// address stands an interrupt window, which hands each message on as a vector. As a posted write it pushes the data
// before it: when the interrupt comes, what its function wrote earlier on the same way is in memory.
// Source: PCI Local Bus Specification 3.0, 6.8.1 (MSI); PCI Express Base Specification 3.0, 6.1.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "pcie/device/function.h"

namespace contraflow::pcie {

// What software writes into a function's MSI capability.
struct msi_configuration {
    std::uint64_t address = 0;
    std::uint16_t data = 0;     // of vector 0; the lowest bits are the vector's
    std::uint16_t vectors = 1;  // a power of two, 32 at most
    bool enabled = false;
};

class msi_sender final : private requester_user_if {
public:
    explicit msi_sender(function& of) : function_(of) {}
    void configure(const msi_configuration& c) {
        configuration_ = c;
        for (message& m : messages_) m.what.owner = this;
    }
    // One vector's message is under way once at most: a second before it has left is the same interrupt.
    void raise(std::uint16_t vector) {
        if (!configuration_.enabled || vector >= std::min<std::size_t>(configuration_.vectors, messages_.size()))
            return;
        message& m = messages_[vector];
        if (m.waits) return;
        m.waits = true;
        const std::uint32_t value = configuration_.data | vector;
        std::memcpy(m.bytes, &value, sizeof value);
        m.what.kind = operation_kind::write;
        m.what.address = configuration_.address;
        m.what.length = sizeof value;
        m.what.buffer = m.bytes;
        function_.start(m.what);
    }
    void reset() {
        for (message& m : messages_) m.waits = false;
    }

private:
    struct message {
        operation what;
        std::uint8_t bytes[4] = {};
        bool waits = false;
    };
    void fetch(operation&, std::uint64_t, std::uint8_t*, std::uint32_t) override {}
    void store(operation&, std::uint64_t, const std::uint8_t*, std::uint32_t, const tlp&) override {}
    void finished(operation& o) override {
        for (message& m : messages_)
            if (&m.what == &o) m.waits = false;
    }

    function& function_;
    msi_configuration configuration_;
    std::array<message, 32> messages_;  // stay where they are: operations refer to them
};

class interrupt_user_if {
public:
    // A message came to that offset of the window.
    virtual void interrupt(std::uint64_t offset, std::uint16_t vector) = 0;

protected:
    ~interrupt_user_if() = default;
};

// Takes messages of 4 bytes and nothing else.
class interrupt_window final : public region_if {
public:
    explicit interrupt_window(interrupt_user_if& user) : user_(user) {}
    access_result write(std::uint64_t offset, const tlp& packet) override {
        const byte_span span = span_of(packet);
        if (span.length != dword || offset % dword != 0) return access_result::aborted;
        std::uint16_t vector;
        std::memcpy(&vector, packet.data, sizeof vector);
        user_.interrupt(offset, vector);
        return access_result::done;
    }
    access_result request(inbound_request&, const tlp&) override { return access_result::unsupported; }
    void fetch(const inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}

private:
    interrupt_user_if& user_;
};

}  // namespace contraflow::pcie
