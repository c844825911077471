// SPDX-License-Identifier: Apache-2.0
// The files of a wave view: the dump as FST or VCD, a .gtkw that shows its signals in groups, and files with the names
// of values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "observe/waves/wave_recording.h"
#include "wave/wave_source_if.h"

namespace contraflow::wave {

enum class format { vcd, fst };

struct wave_output {
    std::filesystem::path directory;
    std::string stem = "waves";  // first part of the files' names
    format as = format::fst;
    std::optional<core::sim_time> marker{};
};

// Writes the kept part of the recording and the sources' signals in that time. Throws std::runtime_error that names
// the file that cannot be written.
void write_wave_output(const wave_output& to, const observe::wave_recording& recorded,
                       const std::vector<wave_source_if*>& sources);

}  // namespace contraflow::wave
