// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/wave_recording.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "observe/waves/wave_names.h"

namespace contraflow::observe {

signal_id wave_recording::add(std::string dotted_name, unsigned bits) {
    std::string name = checked_wave_name(std::move(dotted_name));
    if (bits < 1 || bits > 64) throw std::logic_error(fmt::format("waves: '{}' has {} bits, not 1 to 64", name, bits));
    if (started_) throw std::logic_error(fmt::format("waves: '{}' comes after the first value", name));
    if (!names_.insert(name).second) throw std::logic_error(fmt::format("waves: '{}' is added twice", name));
    signals_.push_back({std::move(name), bits, 0, 0});
    return {static_cast<std::uint32_t>(signals_.size() - 1)};
}

void wave_recording::set(signal_id id, core::sim_time now, std::uint64_t value) {
    started_ = true;
    signal& s = signals_[id.index];
    if (s.bits < 64) value &= (std::uint64_t{1} << s.bits) - 1;
    if (value == s.last || now >= to_) return;
    s.last = value;
    last_change_ = std::max(last_change_, now);
    if (now < from_) {
        s.first = value;
        return;
    }
    // Few, if any, are later: a source that runs ahead does so by less than a quantum.
    auto place = changes_.end();
    while (place != changes_.begin() && std::prev(place)->at > now) --place;
    changes_.insert(place, {now, id.index, value});
    if (waits() && now > before_) discard_before(now - before_);
}

void wave_recording::keep(core::sim_time from, core::sim_time to) {
    from_ = from;
    to_ = to;
}

void wave_recording::keep_around(std::string event, core::sim_time before, core::sim_time after) {
    event_ = std::move(event);
    before_ = before;
    after_ = after;
}

void wave_recording::event(std::string_view name, core::sim_time now) {
    if (!waits() || name != event_) return;
    event_at_ = now;
    from_ = now > before_ ? now - before_ : core::sim_time{};
    to_ = now + after_;
    discard_before(from_);
}

void wave_recording::discard_before(core::sim_time t) {
    for (; !changes_.empty() && changes_.front().at < t; changes_.pop_front())
        signals_[changes_.front().signal].first = changes_.front().value;
}

}  // namespace contraflow::observe
