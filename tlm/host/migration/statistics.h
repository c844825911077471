// SPDX-License-Identifier: Apache-2.0
// Counts of pages that move, and of pages that are wanted elsewhere and do not move.
#pragma once

#include <deque>
#include <string>

#include "host/migration/steps.h"
#include "observe/statistics.h"

namespace contraflow::host::migration {

struct statistics_set {
    statistics_set(observe::statistics& group, const std::string& path);

    observe::counter asked;  // moves that were begun or queued; each ends as one of the next six
    observe::counter moved, duplicated, collapsed, failed, declined, freed;
    observe::counter bytes;
    // Wanted, but answered by direct cache access:
    observe::counter outside_window, pinned, queue_full, no_frame, claimed;
    observe::counter pins, notifications;
    observe::gauge waiting, under_way;
    observe::histogram latency;
    std::deque<observe::counter> step_time;  // by step

    void ended(const move_record& m);
};

}  // namespace contraflow::host::migration
