// SPDX-License-Identifier: Apache-2.0
// BAR1: pages of GPU memory that the driver has mapped into an aperture of limited size, for plain memory reads and
// writes. Mapping and unmapping take time, one after the other. Reads are answered at their own rate. An access to a
// page that is not mapped (yet) is a completer abort.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/scheduler.h"
#include "gpu/peer/peer_memory.h"
#include "gpu/peer/peer_spec.h"
#include "observe/counter.h"
#include "pcie/device/timed_reads.h"

namespace contraflow::gpu {

class aperture final : public pcie::region_if {
public:
    aperture(core::scheduler& events, observe::statistics& statistics, pcie::function& of, peer_memory& memory,
             const peer_spec& s, std::string name);

    struct mapping {
        std::uint64_t offset = 0;  // in BAR1, of the first byte of the range
        core::sim_time ready{};    // when it can be used
    };
    // For the driver: maps all pages with a byte of that range, contiguously. None if there is no room or no such
    // memory.
    std::optional<mapping> map(std::uint64_t address, std::uint64_t length);
    // Unmaps the pages at once; returns when another call may begin.
    core::sim_time unmap(const mapping& m, std::uint64_t length);
    std::uint64_t refused() const { return refused_.value(); }  // accesses

    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override;
    void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;

    // Unmaps everything and answers waiting reads as aborted.
    void stop();
    // Call when the function has been reset as well.
    void reset();
    const core::waiter_if& waits() const { return reads_; }

private:
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
    struct page {
        std::uint64_t address = nowhere;  // in GPU memory
        core::sim_time ready{};
    };
    std::optional<std::uint64_t> find(std::uint64_t offset);
    core::sim_time take_mapper(core::sim_time duration);
    void unmap_all();

    core::scheduler& events_;
    peer_memory& memory_;
    const core::sim_time map_time_, unmap_time_;
    std::vector<page> pages_;
    core::sim_time mapper_free_{};
    pcie::timed_reads reads_;
    observe::counter maps_, refused_;
};

}  // namespace contraflow::gpu
