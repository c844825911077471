// SPDX-License-Identifier: Apache-2.0
// One page's move from GPU 1 to GPU 2, observed every cycle from outside: the page table, the units, TLBs and memory of
// both GPUs and the IOMMU, not the migrator. The trace of the same move is kept with it.
#pragma once

#include <array>
#include <string>

#include "host/migration/steps.h"
#include "host/system/unified_machine.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// The events of a move, in the source's order.
enum class sight {
    held,          // the IOMMU holds the request of the GPU that wants the page
    closed,        // the driver knows: the page's entry permits no access
    drained,       // the owner's units have no outstanding requests until the restart
    invalidated,   // the last of the owner's TLBs has invalidated its pages
    written_back,  // the owner's memory has taken the last line that its caches write back
    entered,       // the entry has a frame of the receiver
    pulling,       // the receiver's controller has moved its first line
    pulled,        // it has moved the page
    restarted,     // the owner's units ask their caches again
    replied,       // the IOMMU holds no request any more
    local,         // the first read is answered, from the receiver's own memory
};
inline constexpr std::size_t sights = 11;

struct watched_move {
    std::array<core::sim_time, sights> at{};  // never(): not seen
    host::migration::move_record traced;
    std::uint64_t invalidated = 0;   // pages, by TLBs of the owner
    std::uint64_t written_back = 0;  // bytes, to the owner's memory
    std::uint64_t read = 0;          // bytes of the owner's memory, between the entry and the end of the pull
    std::uint64_t remote_reads = 0;  // the receiver's reads on the wrong side of the move
    core::sim_time look{};           // interval between observations

    core::sim_time seen(sight s) const { return at[static_cast<std::size_t>(s)]; }
    // The number of sights that are missing or out of order.
    std::size_t out_of_order() const;
    // The number of sights that are outside their step in the trace.
    std::size_t apart_from_trace() const;
    // The times of all sights, in us from the first: "held 0.00, closed 0.62".
    std::string text() const;
};

// The owner's units are busy with other pages; the page was written by them.
watched_move watch_move(const host::unified_machine::spec& s, const run_environment& environment);

}  // namespace contraflow::validate
