// SPDX-License-Identifier: Apache-2.0
#include "host/migration/windows.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::host::migration {

void window::describe(config::fields<window>& f) {
    f("from", &window::from).text("pages may move from this time on");
    f("to", &window::to).text("and before this one");
}

windows::windows(std::vector<window> configured) : configured_(std::move(configured)) {
    for (const window& w : configured_) add(w);
}

void windows::add(const window& w) {
    if (w.to <= w.from)
        throw std::invalid_argument(
            fmt::format("a window from {} to {} has no length", core::to_text(w.from), core::to_text(w.to)));
    all_.push_back(w);
}

bool windows::open(core::sim_time now) const {
    if (by_hand_ != hand::off) return by_hand_ == hand::open;
    return all_.empty() ||
           std::any_of(all_.begin(), all_.end(), [&](const window& w) { return w.from <= now && now < w.to; });
}

void windows::reset() {
    all_ = configured_;
    by_hand_ = hand::off;
}

}  // namespace contraflow::host::migration
