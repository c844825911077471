// SPDX-License-Identifier: Apache-2.0
// The statistics and the conservation that every receive datapath of hardware has, TLM or RTL.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "nic/receive/datapath_factory.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"

namespace contraflow::nic {

// What is counted beside the counters that a driver reads.
struct receive_counts {
    std::uint64_t words = 0, writes = 0, acknowledged = 0, windows = 0, completions = 0;
};

// Views of both below the place's path; they are to be kept as long as what they show.
void add_statistics(std::deque<observe::counter_view>& views, const datapath_place& place,
                    const receive_counters& counters, const receive_counts& counts);
// `received`: packets that have come since the last reset.
void check_counts(observe::conservation& checks, const std::string& path, std::uint64_t received,
                  const receive_counters& counters, const receive_counts& counts);

}  // namespace contraflow::nic
