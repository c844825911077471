// SPDX-License-Identifier: Apache-2.0
// When pages may move: within windows of simulated time, from a configuration or opened and closed by a program.
// Without any, always.
#pragma once

#include <vector>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::host::migration {

struct window {
    core::sim_time from{};
    core::sim_time to = core::sim_time::never();  // not included
    static void describe(config::fields<window>& f);
};

class windows {
public:
    // A window that ends before it begins is a std::invalid_argument.
    explicit windows(std::vector<window> configured = {});

    bool open(core::sim_time now) const;
    void add(const window& w);
    // By hand, until the other one is called; over all windows there are.
    void open_now() { by_hand_ = hand::open; }
    void close_now() { by_hand_ = hand::closed; }
    // As at the start.
    void reset();

private:
    enum class hand { off, open, closed };
    const std::vector<window> configured_;
    std::vector<window> all_;
    hand by_hand_ = hand::off;
};

}  // namespace contraflow::host::migration
