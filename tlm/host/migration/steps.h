// SPDX-License-Identifier: Apache-2.0
// The steps of a page's move, in their order, and what is known of a move that is over. They tile its life: each begins
// when the one before has ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

enum class step : std::uint8_t {
    notify,     // from the IOMMU, or a GPU's access counters, to the driver
    queue,      // waits for its turn there, and until the page has been long enough where it is
    close,      // the entry of the page table lets nobody in
    drain,      // the owner stops and is waited for (granularity whole)
    shootdown,  // all GPUs invalidate the page's translations and wait for their own requests to it
    flush,      // the page's lines, or with granularity whole all of the owner's, are in memory; copies are invalidated
    table,      // the entry says where the page is to be
    pull,       // the receiver's page migration controller brings it there
    restart,    // the owner goes on (granularity whole)
    reply,      // the entry lets everybody in, and the IOMMU walks again for those that waited
};
inline constexpr std::size_t step_count = 10;
std::string_view step_name(step s);

enum class move_kind : std::uint8_t {
    relocate,   // from one GPU's memory to another's
    duplicate,  // a further copy, to be read only
    collapse,   // of all copies one is left, to be written
};
std::string_view kind_name(move_kind k);

struct move_record {
    page_id page;
    move_kind kind = move_kind::relocate;
    unsigned from = 0, to = 0;                        // GPUs
    std::uint64_t bytes = 0;                          // that were pulled
    bool failed = false;                              // a line could not be read or written: the page is where it was
    unsigned slot = 0;                                // of those under way together, which
    std::array<core::sim_time, step_count + 1> at{};  // begin of each step, and the end of the last one

    core::sim_time began(step s) const { return at[static_cast<std::size_t>(s)]; }
    core::sim_time ended(step s) const { return at[static_cast<std::size_t>(s) + 1]; }
    core::sim_time took(step s) const { return ended(s) - began(s); }
    core::sim_time total() const { return at.back() - at.front(); }
};

// Is shown every move when it is over: for reports and traces.
class move_observer_if {
public:
    virtual void page_moved(const move_record& m) = 0;

protected:
    ~move_observer_if() = default;
};

}  // namespace contraflow::host::migration
