// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/signal_outputs.h"

namespace contraflow::observe {

signal_id trace_counters::add(std::string dotted_name, unsigned) {
    const std::size_t dot = dotted_name.find('.');
    const std::string process = dotted_name.substr(0, dot);
    const std::string name = dot == std::string::npos ? dotted_name : dotted_name.substr(dot + 1);
    signals_.push_back({trace_.track(process, "signals"), name});
    return {static_cast<std::uint32_t>(signals_.size() - 1)};
}

void trace_counters::set(signal_id id, core::sim_time now, std::uint64_t value) {
    signal& s = signals_[id.index];
    if (s.shown && s.value == value) return;
    if (now >= window_.from && !begun_) {
        begun_ = true;
        for (signal& other : signals_) show(other, window_.from);
    }
    // What was held back ends its interval.
    if (begun_ && !s.shown && now >= s.last + s.interval) show(s, s.since);
    s.value = value;
    s.since = now;
    s.shown = false;
    if (window_.holds(now) && now >= s.last + s.interval) show(s, now);
}

void trace_counters::show(signal& s, core::sim_time at) {
    trace_.counter(s.process, s.name, at, static_cast<double>(s.value));
    s.shown = true;
    s.last = at;
    if (--s.left != 0) return;
    s.left = most_changes;
    s.interval = s.interval == core::sim_time{} ? core::sim_time::from_ns(50) : s.interval * 2;
}

signal_id signal_splitter::add(std::string dotted_name, unsigned bits) {
    const signal_id first = first_.add(dotted_name, bits);
    ids_.emplace_back(first, second_.add(std::move(dotted_name), bits));
    return {static_cast<std::uint32_t>(ids_.size() - 1)};
}

void signal_splitter::set(signal_id signal, core::sim_time now, std::uint64_t value) {
    const auto& [first, second] = ids_[signal.index];
    first_.set(first, now, value);
    second_.set(second, now, value);
}

void signal_splitter::event(std::string_view name, core::sim_time now) {
    first_.event(name, now);
    second_.event(name, now);
}

signal_outputs::signal_outputs(trace* counters, wave_sink_if* waves, const time_window& window) : sink_(waves) {
    if (counters == nullptr) return;
    counters_.emplace(*counters, window);
    sink_ = &*counters_;
    if (waves != nullptr) sink_ = &both_.emplace(*counters_, *waves);
}

}  // namespace contraflow::observe
