// SPDX-License-Identifier: Apache-2.0
// A ring of descriptors in host memory, and a ring of as many completions. Descriptors are fetched by DMA while there
// is room for them; completions are written by posted writes, in order. The driver reuses an entry after its
// completion.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/waiting.h"
#include "nic/transmit/descriptor.h"
#include "pcie/device/function.h"

namespace contraflow::nic {

class transmit_engine;

class descriptor_ring final : public core::waiter_if, private pcie::requester_user_if {
public:
    struct place {
        std::uint64_t descriptors = 0, completions = 0;  // bus addresses
        std::uint32_t entries = 0;                       // a power of two; 0: there is no ring
    };
    descriptor_ring(pcie::function& of, transmit_engine& user, std::string name)
        : function_(of),
          user_(user),
          name_(std::move(name)) {
        reset();
    }

    void set_place(const place& p);
    // The doorbell: `produced` descriptors have been written since the ring's address was set. False: that is fewer
    // than before, or more than fit into the ring.
    bool ring(std::uint32_t produced);
    // Fetches descriptors as far as the user has room. Call it when there may be room again.
    void fetch_more();

    bool can_complete() const { return !free_.empty(); }
    void complete(std::uint16_t tag, transmit_status status, std::uint32_t length);
    std::uint32_t completions() const { return completed_; }
    std::uint32_t fetched() const { return fetched_; }
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr std::uint32_t descriptors_at_once = 8;
    static constexpr unsigned completions_under_way = 4;
    struct record : pcie::operation {
        std::array<std::uint8_t, transmit_completion::size> bytes{};
    };
    void finished(pcie::operation& o) override;
    void descriptors_read();

    pcie::function& function_;
    transmit_engine& user_;
    const std::string name_;
    place place_;
    std::uint32_t produced_ = 0, fetched_ = 0, completed_ = 0;  // since the ring's address was set
    pcie::operation read_;
    bool reading_ = false;
    std::array<std::uint8_t, descriptors_at_once * descriptor::size> bytes_{};
    std::array<record, completions_under_way> records_;
    std::vector<record*> free_;
};

}  // namespace contraflow::nic
