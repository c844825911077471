// SPDX-License-Identifier: Apache-2.0
// The program whose runs are swept, and the configurations it ships.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/text/diagnostics.h"

namespace contraflow::sweep {

struct platform_program {
    std::string name;
    std::filesystem::path binary;  // in the folder of this program
    std::string sha256;            // hash of the binary
    std::filesystem::path shipped;
};

// None, and an error at `named_at`, if there is no such program.
std::optional<platform_program> find_platform(const std::string& name, const config::location& named_at,
                                              config::diagnostics& diag);

// A file relative to `folder`, or the name of a shipped one with or without .yaml. Absolute.
std::optional<std::filesystem::path> find_configuration(const platform_program& platform, const std::string& name,
                                                        const std::filesystem::path& folder,
                                                        const config::location& named_at, config::diagnostics& diag);

}  // namespace contraflow::sweep
