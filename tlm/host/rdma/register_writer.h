// SPDX-License-Identifier: Apache-2.0
// The driver's writes to registers of the NIC and of the GPU over PCIe: each is one posted write, in order. There may
// be any number at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gpu/peer/peer_protocol.h"
#include "pcie/device/function.h"

namespace contraflow::host {

class register_writer final : private pcie::requester_user_if {
public:
    explicit register_writer(pcie::function& host) : host_(host) {}
    register_writer(const register_writer&) = delete;
    register_writer& operator=(const register_writer&) = delete;

    // What it does happens in the order of its words.
    void write(std::uint64_t address, std::span<const std::uint32_t> words);
    // `registers`: their bus address.
    void write(std::uint64_t registers, gpu::peer_register r, std::uint64_t value);
    // The host has been reset: no write is under way.
    void reset();

private:
    struct posted_write : pcie::operation {
        std::vector<std::uint8_t> bytes;
    };
    void finished(pcie::operation& o) override { free_.push_back(&static_cast<posted_write&>(o)); }

    pcie::function& host_;
    std::deque<posted_write> writes_;  // a deque, because operations refer to its elements
    std::vector<posted_write*> free_;
};

}  // namespace contraflow::host
