// SPDX-License-Identifier: Apache-2.0
// Helpers that the tests of sweeps share.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include <unistd.h>

#include "config/config.h"
#include "sweep/sweep_spec.h"

namespace contraflow::sweep_test {

// A folder for this process alone, because tests run in parallel.
inline std::filesystem::path own_folder(const std::string& name) {
    return std::filesystem::temp_directory_path() / (name + "_" + std::to_string(::getpid()));
}

inline std::string printed(const config::diagnostics& diag) {
    std::ostringstream out;
    diag.print(out);
    return out.str();
}

// A sweep of the platform `probe` from the rest of its file.
inline config::loaded<sweep::sweep_spec> spec_of(const std::string& text) {
    config::diagnostics diag;
    auto spec = config::load<sweep::sweep_spec>(config::source{"s.yaml", "platform: probe\n" + text}, {}, diag);
    if (diag.failed()) throw std::runtime_error(printed(diag));
    return spec;
}

}  // namespace contraflow::sweep_test
