// SPDX-License-Identifier: Apache-2.0
#include "face/run/input_files.h"

#include <filesystem>
#include <system_error>

#include "config/text/input_watch.h"
#include "face/run/sha256.h"

namespace contraflow::face {
namespace {

// A pipe's text is gone once it is read: only a file is read a second time.
std::string digest_of(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) ? sha256_of_file(path) : "";
}

}  // namespace

input_files::input_files() {
    config::watch_inputs([this](const std::string& what, const std::string& path, const std::string* text) {
        const auto [at, is_new] = digests_.try_emplace({what, path});
        if (is_new) at->second = text != nullptr ? sha256(*text) : digest_of(path);
    });
}

input_files::~input_files() { config::watch_inputs({}); }

}  // namespace contraflow::face
