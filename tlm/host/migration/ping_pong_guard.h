// SPDX-License-Identifier: Apache-2.0
// The defence against pages that go back and forth: one that has moved so many times stays where it is for a time, in
// which other GPUs reach across. Each further time it stays twice as long, so that pages which are really shared come
// to rest however long a program runs.
#pragma once

#include <unordered_map>

#include "config/fields.h"
#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

class ping_pong_guard {
public:
    struct spec {
        unsigned moves = 0;
        core::sim_time within = core::sim_time::from_us(1000);
        core::sim_time pin = core::sim_time::from_us(100);
        static void describe(config::fields<spec>& f);
    };
    explicit ping_pong_guard(const spec& s) : spec_(s) {}

    bool pinned(const page_id& page, core::sim_time now) const;
    // True: it stays from now on.
    bool moved(const page_id& page, core::sim_time now);
    void erase(const page_id& page) { pages_.erase(page); }
    void reset() { pages_.clear(); }

private:
    struct history {
        unsigned moves = 0;  // since the first that counts, or since it was pinned last
        unsigned pins = 0;
        core::sim_time first{};
        core::sim_time until{};
    };
    const spec spec_;
    std::unordered_map<page_id, history, page_hash> pages_;  // looked up only, never walked
};

}  // namespace contraflow::host::migration
