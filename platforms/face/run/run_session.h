// SPDX-License-Identifier: Apache-2.0
// One run of a platform with its configuration loaded: the run directory around it, and the messages at the end.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "config/text/text_source.h"
#include "face/command_line/command_line.h"
#include "face/run/input_files.h"
#include "face/run/interrupt.h"
#include "face/run/program.h"
#include "face/run/run_directory.h"
#include "face/terminal/output_stream.h"

namespace contraflow::face {

// "# warning: ..." each on a line, above a configuration.
std::string as_comments(const std::vector<std::string>& warnings);

// Returns the exit code. `file` is the configuration as it was read; `warnings` what was odd about it; `filled` the
// run's directory while there is one; `inputs` what the run reads, if a page is saved.
int run_session(program_if& program, const command_line& line, std::vector<std::string> command,
                const std::optional<config::source>& file, const std::vector<std::string>& warnings,
                output_stream& text, interrupt& signals, std::atomic<run_directory*>& filled,
                const input_files* inputs);

}  // namespace contraflow::face
