// SPDX-License-Identifier: Apache-2.0
#include "sweep/platform_program.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "face/run/sha256.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// The folder is installed, or in the checkout that this was built from.
fs::path shipped_folder() {
    const fs::path installed = own_folder().parent_path() / "share" / "contraflow";
    std::error_code error;
    return fs::is_directory(installed, error) ? installed : fs::path(CF_PLATFORMS_DIR);
}

std::vector<std::string> configurations_in(const fs::path& folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".yaml") out.push_back(entry.path().stem().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}

// Folders that ship configurations.
std::vector<std::string> platform_names() {
    std::vector<std::string> out;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(shipped_folder(), error)) {
        if (!configurations_in(entry.path()).empty()) out.push_back(entry.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool can_run(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<platform_program> find_platform(const std::string& name, const config::location& named_at,
                                              config::diagnostics& diag) {
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    const fs::path binary = own_folder() / name;
    if (is_name && can_run(binary))
        return platform_program{name, binary, face::sha256_of_file(binary), shipped_folder() / name};
    const std::vector<std::string> known = platform_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        diag.error(named_at, fmt::format("there is no {}", binary.string()),
                   shipped_folder() == fs::path(CF_PLATFORMS_DIR) ? "./contraflow build makes it"
                                                                  : "it is installed with the sweep");
    } else {
        diag.error(named_at, fmt::format("no platform {}", config::quoted(name)), config::known_keys(name, known));
    }
    return std::nullopt;
}

std::optional<fs::path> find_configuration(const platform_program& platform, const std::string& name,
                                           const fs::path& folder, const config::location& named_at,
                                           config::diagnostics& diag) {
    std::error_code error;
    const fs::path here = folder / name;
    if (!name.empty() && fs::is_regular_file(here, error)) return fs::weakly_canonical(here, error);
    const std::string stem = name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name;
    const fs::path shipped = platform.shipped / (stem + ".yaml");
    if (!stem.empty() && stem.find('/') == std::string::npos && fs::is_regular_file(shipped, error)) return shipped;
    std::vector<std::string> known = configurations_in(platform.shipped);
    for (const std::string& other : configurations_in(here.parent_path())) known.push_back(other + ".yaml");
    diag.error(
        named_at,
        fmt::format("there is no file {}, and {} ships no such configuration", config::quoted(name), platform.name),
        config::known_keys(name, known));
    return std::nullopt;
}

}  // namespace contraflow::sweep
