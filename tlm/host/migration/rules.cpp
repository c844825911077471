// SPDX-License-Identifier: Apache-2.0
#include "host/migration/rules.h"

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

void ping_pong_guard::spec::describe(config::fields<spec>& f) {
    f("moves", &spec::moves).in(0, 1'000'000).text("moves after which a page is pinned; 0: pages are never pinned");
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

void rules::spec::describe(config::fields<spec>& f) {
    f("policy", &spec::policy)
        .text("never: GPUs reach across; first_touch: a page goes to the first GPU that touches it; access_count: to a "
              "GPU whose access counter for it reaches the threshold; always: to every GPU that touches it");
    f("windows", &spec::windows).text("when pages may move, each ends after it begins; none: always");
    f("ping_pong", &spec::ping_pong).text("the defence against pages that go back and forth");
}

std::vector<config::problem> problems_of(const rules::spec& s) {
    std::vector<config::problem> found;
    for (std::size_t i = 0; i < s.windows.size(); ++i) {
        const window& w = s.windows[i];
        if (w.to > w.from) continue;
        const auto key = [i](const char* end) { return fmt::format("windows[{}].{}", i, end); };
        found.push_back(
            {fmt::format("the window does not end after it begins: from {} to {}", core::to_text(w.from),
                         core::to_text(w.to)),
             {{key("to"), "more than " + core::to_text(w.from)}, {key("from"), "less than " + core::to_text(w.to)}}});
    }
    return found;
}

}  // namespace contraflow::host::migration
