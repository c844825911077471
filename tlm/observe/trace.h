// SPDX-License-Identifier: Apache-2.0
// Trace events that Perfetto and chrome://tracing open: a track for each component, slices, flows and counters. Times
// are in microseconds, exact to the picosecond. The output is streamed, so memory does not grow with the run. Format:
// "Trace Event Format", JSON array form; viewers do not need its closing bracket.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/units.h"

namespace contraflow::observe {

struct track_id {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    friend bool operator==(track_id, track_id) = default;
};

// The caller keeps a null pointer if there is no trace: one branch.
class trace {
public:
    // The stream must outlive the trace.
    explicit trace(std::ostream& out);
    ~trace();
    trace(const trace&) = delete;
    trace& operator=(const trace&) = delete;

    // The same names give the same track; viewers list them in order of first use.
    track_id track(const std::string& process, const std::string& thread);
    // args_json: empty, or a JSON object such as {"bytes":256}.
    void slice(track_id where, std::string_view name, core::sim_time begin, core::sim_time end,
               std::string_view args_json = {});
    void instant(track_id where, std::string_view name, core::sim_time at, std::string_view args_json = {});
    // A flow joins the slices that enclose its points; all points have the same id and name.
    void flow_begin(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at);
    void flow_step(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at);
    void flow_end(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at);
    // Counters belong to the process, and the name identifies them within it. A value that is not a number is left out.
    void counter(track_id where, std::string_view name, core::sim_time at, double value);
    // Completes the JSON; later events are dropped. The destructor closes as well.
    void close();

private:
    void begin_event(char phase, track_id where, std::string_view name, core::sim_time at);
    void end_event(std::string_view args_json);
    void flow(char phase, track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at);
    void describe(std::string_view what, track_id where, std::string_view name, std::uint32_t order);
    void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
    void append_string(std::string_view text);
    void append_time(core::sim_time t);
    void flush();

    std::ostream& out_;
    fmt::memory_buffer buffer_;
    bool first_ = true;
    bool closed_ = false;
    std::map<std::string, std::uint32_t> processes_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> threads_;
};

}  // namespace contraflow::observe
