// SPDX-License-Identifier: Apache-2.0
#include "host/migration/ping_pong_guard.h"

#include <algorithm>

namespace contraflow::host::migration {

void ping_pong_guard::spec::describe(config::fields<spec>& f) {
    f("moves", &spec::moves)
        .in(0, 1'000'000)
        .text("after so many moves a page stays where it is; 0: none is ever kept");
    f("within", &spec::within).text("moves count together that follow each other in this time");
    f("pin", &spec::pin).text("how long a page stays the first time; each further time twice as long");
}

bool ping_pong_guard::pinned(const page_id& page, core::sim_time now) const {
    const auto at = pages_.find(page);
    return at != pages_.end() && now < at->second.until;
}

bool ping_pong_guard::moved(const page_id& page, core::sim_time now) {
    if (spec_.moves == 0) return false;
    history& h = pages_[page];
    if (h.moves == 0 || now - h.first > spec_.within) {
        h.moves = 0;
        h.first = now;
    }
    if (++h.moves < spec_.moves) return false;
    constexpr unsigned most_doublings = 20;
    h.until = now + core::sim_time{spec_.pin.ps << std::min(h.pins, most_doublings)};
    ++h.pins;
    h.moves = 0;
    return true;
}

}  // namespace contraflow::host::migration
