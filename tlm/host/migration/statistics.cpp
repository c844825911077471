// SPDX-License-Identifier: Apache-2.0
#include "host/migration/statistics.h"

#include <fmt/format.h>

namespace contraflow::host::migration {

statistics_set::statistics_set(observe::statistics& group, const std::string& path)
    : asked(group, path + ".asked", "pages", "moves, copies and collapses that were ordered"),
      moved(group, path + ".moved", "pages", "pages that have moved to another GPU"),
      duplicated(group, path + ".duplicated", "pages", "copies made that are only read"),
      collapsed(group, path + ".collapsed", "pages", "pages of whose copies one was left, because it is written"),
      failed(group, path + ".failed", "pages", "moves in which a line was answered with an error; the page stayed"),
      declined(group, path + ".declined", "pages", "orders that were given up before anything was done"),
      freed(group, path + ".freed", "pages", "pages that were freed while they moved"),
      bytes(group, path + ".bytes", "bytes", "pulled from GPU to GPU"),
      outside_window(group, path + ".outside_window", "touches", "pages wanted elsewhere when none may move"),
      pinned(group, path + ".pinned", "touches",
             "pages wanted elsewhere that stayed because they had gone back and forth"),
      queue_full(group, path + ".queue_full", "touches",
                 "pages wanted elsewhere that stayed because the queue was full"),
      no_frame(group, path + ".no_frame", "pages", "pages that stayed because the receiver's memory was full"),
      claimed(group, path + ".claimed", "pages", "pages that stayed because a copy of the host was reaching them"),
      pins(group, path + ".pins", "pages", "times that a page had gone back and forth and was told to stay"),
      notifications(group, path + ".notifications", "pages", "notifications of access counters"),
      waiting(group, path + ".waiting", "pages", "ordered, and waiting for their turn"),
      under_way(group, path + ".under_way", "pages",
                "pages that cannot be written, or not be used at all, because they move"),
      latency(group, path + ".latency", "ns", "time of a move, from the touch to the reply") {
    for (std::size_t i = 0; i < step_count; ++i) {
        const std::string_view name = step_name(static_cast<step>(i));
        step_time.emplace_back(group, fmt::format("{}.step.{}", path, name), "ps",
                               fmt::format("time of all moves in the step '{}'", name));
    }
}

void statistics_set::ended(const move_record& m) {
    for (std::size_t i = 0; i < step_count; ++i) step_time[i] += m.took(static_cast<step>(i)).ps;
    latency.add(m.total().ps / 1000);
    bytes += m.bytes;
    switch (m.kind) {
    case move_kind::relocate: ++(m.failed ? failed : moved); break;
    case move_kind::duplicate: ++(m.failed ? failed : duplicated); break;
    case move_kind::collapse: ++collapsed; break;
    }
}

}  // namespace contraflow::host::migration
