// SPDX-License-Identifier: Apache-2.0
// A platform binary from its first argument to its exit code. This is the part that does not depend on the platform's
// configuration type; platform.h binds one to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/text/diagnostics.h"
#include "config/text/text_source.h"
#include "face/command_line/app.h"
#include "face/command_line/errors.h"
#include "face/run/run_context.h"

namespace contraflow::face {

// Implemented by a class template (platform.h), for each type of configuration.
class program_if {
public:
    virtual ~program_if() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view file_name() const = 0;
    virtual std::string_view summary() const = 0;
    virtual void options(CLI::App& app) = 0;
    // The events that --wave-around takes; none if the platform has none.
    virtual std::vector<std::string> wave_events() const = 0;
    // Whether there is --limit-time.
    virtual bool has_limit_time() const = 0;
    // Why no run has waves, or a trace: "a sweep is many runs"; "" if they can have them. --wave, or --trace, is then
    // refused, and not in --help.
    virtual std::string_view why_no_waves() const = 0;
    virtual std::string_view why_no_trace() const = 0;
    // An example of what has no default, as arguments; empty if every key has one.
    virtual std::string_view arguments_for_defaults() const = 0;

    virtual std::string describe() const = 0;
    virtual nlohmann::ordered_json schema() const = 0;
    // Whether the configuration has a key `seed`: --seed sets it then.
    virtual bool has_seed() const = 0;

    virtual void load(const std::optional<config::source>& file, const std::vector<std::string>& sets,
                      config::diagnostics& diag) = 0;
    // Call the functions below only after load().
    virtual void prepare(config::diagnostics& diag) = 0;
    virtual void report(const config::problem& p, config::diagnostics& diag) const = 0;
    virtual std::string print_config() const = 0;
    // `results` of report.json with every name that a run can leave, and values that mean nothing; a list that is empty
    // may hold anything. Null if only a run can tell.
    virtual nlohmann::ordered_json results_form() const = 0;
    virtual std::uint64_t seed() const = 0;
    virtual int run(run_context& context) = 0;
};

// Returns the exit code.
int run_program(int argc, char** argv, program_if& program);

}  // namespace contraflow::face
