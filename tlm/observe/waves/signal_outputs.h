// SPDX-License-Identifier: Apache-2.0
// Where a run's signals go: into waves, into counter tracks of a trace, or both.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/time_window.h"
#include "observe/trace.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::observe {

// Signals as counters of a trace: "link0.ab.queue" is the counter "ab.queue" of the process "link0". What a signal was
// before the window is shown at its beginning. Of a signal that changes often, the trace has the first 500 changes,
// then the last one of each 50 ns, and from time to time the interval doubles: a long run stays readable.
class trace_counters final : public wave_sink_if {
public:
    // The trace must outlive it.
    trace_counters(trace& to, const time_window& window) : trace_(to), window_(window) {}

    signal_id add(std::string dotted_name, unsigned bits) override;
    void set(signal_id signal, core::sim_time now, std::uint64_t value) override;

private:
    struct signal {
        track_id process;
        std::string name;
        std::uint64_t value = 0;
        bool shown = false;                 // with its value
        core::sim_time since{};             // when it got the value
        core::sim_time last{}, interval{};  // the last change that was shown; the least time until the next
        unsigned left = most_changes;       // until the interval doubles
    };
    static constexpr unsigned most_changes = 500;
    void show(signal& s, core::sim_time at);

    trace& trace_;
    const time_window window_;
    std::vector<signal> signals_;
    bool begun_ = false;  // the window
};

// Passes signals on to two receivers.
class signal_splitter final : public wave_sink_if {
public:
    // Both must outlive it.
    signal_splitter(wave_sink_if& first, wave_sink_if& second) : first_(first), second_(second) {}

    signal_id add(std::string dotted_name, unsigned bits) override;
    void set(signal_id signal, core::sim_time now, std::uint64_t value) override;
    void event(std::string_view name, core::sim_time now) override;

private:
    wave_sink_if &first_, &second_;
    std::vector<std::pair<signal_id, signal_id>> ids_;
};

// Null pointers where there is none; both must outlive it.
class signal_outputs {
public:
    signal_outputs(trace* counters, wave_sink_if* waves, const time_window& window);
    signal_outputs(const signal_outputs&) = delete;
    signal_outputs& operator=(const signal_outputs&) = delete;
    // Null if the signals go nowhere.
    wave_sink_if* sink() { return sink_; }

private:
    std::optional<trace_counters> counters_;
    std::optional<signal_splitter> both_;
    wave_sink_if* sink_ = nullptr;
};

}  // namespace contraflow::observe
