// SPDX-License-Identifier: Apache-2.0
// Signals over time as a value change dump (VCD, IEEE 1364-2005 clause 18) in picoseconds, and the .gtkw with which
// GTKWave shows them grouped by scope. Two states; the last value of an instant counts.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "observe/waves/wave_sink_if.h"

namespace contraflow::observe {

class waves final : public wave_sink_if {
public:
    // The stream must outlive the waves. Nothing may be set before `begin`, where the dump's time begins.
    explicit waves(std::ostream& vcd, core::sim_time begin = {});
    ~waves() override;
    waves(const waves&) = delete;
    waves& operator=(const waves&) = delete;

    signal_id add(std::string dotted_name, unsigned bits) override;
    void set(signal_id signal, core::sim_time now, std::uint64_t value) override;
    // Writes the remaining changes and the end of the time axis; later changes are dropped. The destructor closes as
    // well.
    void close(core::sim_time end);
    // For the folder with the VCD; after close() it shows the whole run.
    void write_gtkw(std::ostream& out, std::string_view vcd_file_name) const;

private:
    struct signal {
        std::string name;
        std::string code;  // its identifier in the VCD
        unsigned bits = 1;
        std::uint64_t written = 0;  // value in the file
        std::uint64_t value = 0;    // value at this instant
        bool touched = false;
    };

    void write_header();
    void write_instant();
    void write_value(const signal& s, std::uint64_t value);
    void flush();
    std::vector<std::uint32_t> order() const;

    std::ostream& out_;
    fmt::memory_buffer buffer_;
    std::vector<signal> signals_;
    std::vector<std::uint32_t> touched_;     // at this instant, in order
    std::unordered_set<std::string> names_;  // only looked up, never iterated
    const core::sim_time begin_;
    core::sim_time now_;
    core::sim_time stamped_;  // last time in the file
    core::sim_time end_{};    // once closed
    bool started_ = false;    // a value was set
    bool header_written_ = false;
    bool closed_ = false;
};

}  // namespace contraflow::observe
