// SPDX-License-Identifier: Apache-2.0
// Why a file could not be written.
#pragma once

#include <filesystem>
#include <string>

namespace contraflow::face {

// `error` is an errno, which streams and copies often lose: where none is known, a full disk is told by itself.
std::string why_not_written(const std::filesystem::path& file, int error);

}  // namespace contraflow::face
