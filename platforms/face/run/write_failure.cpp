// SPDX-License-Identifier: Apache-2.0
#include "face/run/write_failure.h"

#include <cerrno>
#include <system_error>

namespace contraflow::face {

std::string why_not_written(const std::filesystem::path& file, int error) {
    constexpr std::uintmax_t as_good_as_none = 64 << 10;
    if (error == 0 || error == EIO) {
        std::error_code failure;
        const auto space = std::filesystem::space(file.parent_path(), failure);
        error = !failure && space.available < as_good_as_none ? ENOSPC : EIO;
    }
    return std::generic_category().message(error);
}

}  // namespace contraflow::face
