// SPDX-License-Identifier: Apache-2.0
// The steps of a page's move in order, and the record of a move that is over. Each step begins when the one before has
// ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

enum class step : std::uint8_t {
    notify,     // from the IOMMU, or a GPU's access counters, to the driver
    queue,      // waits for its turn, and until the page has been long enough in its place
    close,      // the entry of the page table is closed
    drain,      // the owner stops and is waited for (granularity whole)
    shootdown,  // all GPUs invalidate the page's translations and wait for their own requests to the page
    flush,      // the page's lines, or with granularity whole all of the owner's, are in memory; copies are invalidated
    table,      // the entry gets the new place
    pull,       // the receiver's page migration controller brings the page there
    restart,    // the owner continues (granularity whole)
    reply,      // the entry is opened, and the IOMMU walks again for waiting requests
};
inline constexpr std::size_t step_count = 10;
std::string_view step_name(step s);

enum class move_kind : std::uint8_t {
    relocate,   // from one GPU's memory to another's
    duplicate,  // a further copy, read only
    collapse,   // one copy is kept, to be written
};
std::string_view kind_name(move_kind k);

struct move_record {
    page_id page;
    move_kind kind = move_kind::relocate;
    unsigned from = 0, to = 0;  // GPUs
    std::uint64_t bytes = 0;    // bytes pulled
    // a line could not be read or written: the page stays where it was
    bool failed = false;
    unsigned slot = 0;                                // index among the moves in progress
    std::array<core::sim_time, step_count + 1> at{};  // begin of each step and end of the last one

    core::sim_time began(step s) const { return at[static_cast<std::size_t>(s)]; }
    core::sim_time ended(step s) const { return at[static_cast<std::size_t>(s) + 1]; }
    core::sim_time took(step s) const { return ended(s) - began(s); }
    core::sim_time total() const { return at.back() - at.front(); }
};

// Gets every move when it is over, for reports and traces.
class move_observer_if {
public:
    virtual void page_moved(const move_record& m) = 0;

protected:
    ~move_observer_if() = default;
};

}  // namespace contraflow::host::migration
