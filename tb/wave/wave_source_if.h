// SPDX-License-Identifier: Apache-2.0
// Plays its signals into a wave file: a Verilated block with its stimulus. An interface, because programs that write
// waves know no such block.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "observe/waves/gtkw.h"
#include "wave/fst_contents.h"
#include "wave/wave_file.h"

namespace contraflow::wave {

class wave_source_if {
public:
    virtual ~wave_source_if() = default;
    // Adds its signals: blocks are given the file, other signals are added to it. The file is not open yet.
    virtual void attach(wave_file& file) = 0;
    // The file ends: releases its parts.
    virtual void detach() = 0;
    // Plays everything before that moment as fast as possible. Nothing is shown.
    virtual void go_to(core::sim_time from) = 0;
    // The time of its next change; never if there is none.
    virtual core::sim_time next() const = 0;
    // Plays up to that time.
    virtual void advance() = 0;
    // The end of the run that it plays.
    virtual core::sim_time end() const = 0;
    // The scope of recorded signals that it is shown with.
    virtual std::string scope() const = 0;
    // How a viewer should group the signals that the file has.
    virtual std::vector<observe::gtkw_group> groups(const fst_contents& contents) const = 0;
};

}  // namespace contraflow::wave
