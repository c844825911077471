// SPDX-License-Identifier: Apache-2.0
#include "face/run/write_failure.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace contraflow::face {

namespace {

// Bytes. A writer that has failed gives back the room of its temporary files, which can be as large as its file.
std::uintmax_t as_good_as_none(const std::filesystem::path& file) {
    std::uintmax_t most = 64 << 10;
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    return failure ? most : std::max(most, 2 * size);
}

}  // namespace

std::string why_not_written(const std::filesystem::path& file, int error) {
    if (error == 0 || error == EIO) {
        std::error_code failure;
        const auto space = std::filesystem::space(file.parent_path(), failure);
        error = !failure && space.available < as_good_as_none(file) ? ENOSPC : EIO;
    }
    return std::generic_category().message(error);
}

}  // namespace contraflow::face
