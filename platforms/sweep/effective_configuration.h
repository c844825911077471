// SPDX-License-Identifier: Apache-2.0
// A configuration with some --set as the platform reads it, without a run: every value, or the errors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text/diagnostics.h"
#include "sweep/platform_program.h"

namespace contraflow::sweep {

// A message of the platform, with its position: in the configuration's file, or in the n-th --set.
struct complaint {
    config::location at;
    std::string message, hint;
};

struct effective_configuration {
    std::vector<std::pair<std::string, std::string>> values;  // path and text of every single value
    std::vector<complaint> complaints;                        // the values are valid only if it is empty
    std::vector<unsigned> without_effect;                     // the --set, from 1, that later ones replace

    // None if it is not a single value.
    std::optional<std::string> value(std::string_view path) const;
    // The number of elements of the list at that path; none if it is not known.
    std::optional<std::size_t> elements(std::string_view path) const;
};

// The words of the command that runs the platform.
std::vector<std::string> platform_command(const std::filesystem::path& binary,
                                          const std::optional<std::filesystem::path>& configuration,
                                          const std::vector<std::string>& sets);

effective_configuration ask_platform(const platform_program& platform,
                                     const std::optional<std::filesystem::path>& configuration,
                                     const std::vector<std::string>& sets, const std::filesystem::path& folder);

// Reads the text of --print-config, which is also that of config.yaml.
std::vector<std::pair<std::string, std::string>> values_of(const std::string& text);

// Reads what a platform wrote to standard error.
std::vector<complaint> complaints_in(std::string_view text);

// The --set, from 1, of which it says that later ones replace them.
std::vector<unsigned> without_effect_in(std::string_view text);

// The values that name files, which decide the results as well: their paths, sorted. `folders`: what they may be
// relative to.
std::vector<std::filesystem::path> files_named_in(const std::vector<std::pair<std::string, std::string>>& values,
                                                  const std::vector<std::filesystem::path>& folders);

}  // namespace contraflow::sweep
