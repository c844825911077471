// SPDX-License-Identifier: Apache-2.0
// Signals over time, kept until the end of the run and then written with other signals on the same time axis. The
// recorded time can be limited by two moments, or by an event whose time is not known beforehand. Times of one signal
// must not run backwards; a signal may be behind others, such as those of a core that runs ahead.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "observe/waves/wave_sink_if.h"

namespace contraflow::observe {

class wave_recording final : public wave_sink_if {
public:
    struct signal {
        std::string name;
        unsigned bits = 1;
        std::uint64_t first = 0;  // value before the changes
        std::uint64_t last = 0;
    };
    struct change {
        core::sim_time at{};
        std::uint32_t signal = 0;
        std::uint64_t value = 0;
    };

    signal_id add(std::string dotted_name, unsigned bits) override;
    void set(signal_id signal, core::sim_time now, std::uint64_t value) override;
    void event(std::string_view name, core::sim_time now) override;

    // Call before the first change. Without either of these, everything is kept.
    void keep(core::sim_time from, core::sim_time to);
    // Keeps that much time before and after the first event of that name.
    void keep_around(std::string event, core::sim_time before, core::sim_time after);
    // Whether it waits for an event that has not happened.
    bool waits() const { return !event_.empty() && !event_at_; }
    const std::string& awaited() const { return event_; }
    std::optional<core::sim_time> event_at() const { return event_at_; }

    core::sim_time begin() const { return from_; }
    core::sim_time end() const { return to_; }  // never: until the end of the run
    const std::vector<signal>& signals() const { return signals_; }
    const std::deque<change>& changes() const { return changes_; }  // in order
    // The latest change before end(), kept or not.
    core::sim_time last_change() const { return last_change_; }

private:
    void discard_before(core::sim_time t);

    std::vector<signal> signals_;
    std::deque<change> changes_;
    std::unordered_set<std::string> names_;  // only looked up
    core::sim_time from_{}, to_ = core::sim_time::never();
    core::sim_time last_change_{};
    std::string event_;
    core::sim_time before_{}, after_{};
    std::optional<core::sim_time> event_at_;
    bool started_ = false;
};

}  // namespace contraflow::observe
