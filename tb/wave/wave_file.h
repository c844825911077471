// SPDX-License-Identifier: Apache-2.0
// An FST file in which signals of Verilated blocks and of models share one time axis: blocks are given the file when
// they are made, models add signals by name. The writer is Verilator's own. Time is in picoseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/units.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::wave {

class wave_file {
public:
    wave_file();
    ~wave_file();
    wave_file(const wave_file&) = delete;
    wave_file& operator=(const wave_file&) = delete;

    // Like observe::waves::add; call before open().
    observe::signal_id add(const std::string& dotted_name, unsigned bits);
    // False if it cannot be written. All blocks must exist by now and until close().
    bool open(const std::string& path);
    // Takes effect with the next dump.
    void set(observe::signal_id signal, std::uint64_t value);
    // Writes all signals at that moment, which must be later than the last one.
    void dump(core::sim_time now);
    void close();

    struct contents;
    contents& inner() { return *contents_; }

private:
    std::unique_ptr<contents> contents_;
    std::string path_;
};

}  // namespace contraflow::wave
