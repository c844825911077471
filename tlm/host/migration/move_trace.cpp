// SPDX-License-Identifier: Apache-2.0
#include "host/migration/move_trace.h"

#include <fmt/format.h>

namespace contraflow::host::migration {

// The time in the queue is not drawn, because a waiting move has no slot yet.
void move_trace::page_moved(const move_record& m) {
    const observe::track_id track = to_.track("migration", fmt::format("slot {}", m.slot));
    const std::string what =
        fmt::format(R"({{"page":"{:#x}","process":{},"from":{},"to":{},"waited_ns":{}}})", m.page.address,
                    m.page.process, m.from, m.to, (m.ended(step::queue) - m.at.front()).ps / 1000);
    to_.slice(track, kind_name(m.kind), m.began(step::close), m.at.back(), what);
    for (std::size_t i = static_cast<std::size_t>(step::close); i < step_count; ++i)
        if (const auto s = static_cast<step>(i); m.took(s) != core::sim_time{})
            to_.slice(track, step_name(s), m.began(s), m.ended(s));
}

}  // namespace contraflow::host::migration
