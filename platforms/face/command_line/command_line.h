// SPDX-License-Identifier: Apache-2.0
// The options that all platform binaries share, with checks; each mistake is reported as one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "face/command_line/app.h"
#include "face/command_line/wave_request.h"

namespace contraflow::face {

// A platform's own options in this group decide how and where it runs, but no result.
inline constexpr const char* execution_group = "Execution";

struct command_line {
    std::optional<std::string> config_file;
    std::vector<std::string> sets;
    std::optional<std::string> out;
    bool force = false;
    std::optional<wave_request> waves;
    bool trace = false;
    std::optional<std::uint64_t> seed;
    unsigned jobs = 1;
    bool print_config = false, print_results = false, describe = false, schema = false, quiet = false, version = false,
         help = false;
    core::sim_time limit_time = core::sim_time::never();
    std::optional<double> limit_wall_s;
    // The arguments that decide the results, as typed: configuration, --set, --seed, --limit-time and the platform's
    // own options.
    std::string what_was_asked;
};

// What a platform has of the shared options.
struct option_set {
    std::vector<std::string> wave_events;       // for --wave-around
    bool limit_time = true;                     // --limit-time
    std::string_view arguments_for_defaults{};  // what has no default; for the examples
    std::string_view why_no_waves{};            // if not empty, --wave is refused with it
    std::string_view why_no_trace{};            // if not empty, --trace is refused with it
};

// `app` already has the platform's own options. Throws usage_error.
command_line parse_command_line(CLI::App& app, int argc, const char* const* argv, const option_set& has = {});

// The command that prints a complete configuration to begin with.
std::string printing_command(const std::string& program, std::string_view arguments_for_defaults);

// The file of that name's folder whose name is nearest to it; "" if none is near.
std::string nearest_file(const std::string& missing);

}  // namespace contraflow::face
