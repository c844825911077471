// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for the manifest: which binary and which inputs a run had.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace contraflow::face {

// 64 hexadecimal digits, as sha256sum prints them.
std::string sha256(std::string_view data);
// The same for a file's content; "" if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace contraflow::face
