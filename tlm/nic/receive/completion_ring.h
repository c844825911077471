// SPDX-License-Identifier: Apache-2.0
// A ring of completions in the host's memory, as the datapath keeps it. The counts wrap at 2^32; the entry that is
// written next has a register of its own, because 2^32 need not be a multiple of the entries.
#pragma once

#include <cstdint>

#include "nic/receive/receive_datapath_if.h"

namespace contraflow::nic {

struct completion_ring {
    ring_place place;
    std::uint32_t written = 0, read = 0;  // completions
    std::uint32_t slot = 0;               // of the next one

    // Also if it is not set up.
    bool full() const { return written - read >= place.entries; }
    std::uint32_t sequence() const { return written + 1; }
    std::uint64_t address() const { return place.base + std::uint64_t{slot} * completion_record::size; }
    void advance() {
        ++written;
        slot = slot + 1 == place.entries ? 0 : slot + 1;
    }
};

}  // namespace contraflow::nic
