// SPDX-License-Identifier: Apache-2.0
// The scripts that execute points, as they are laid out in a sweep's folder; they are part of the binary.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace contraflow::sweep {

// Name and content.
std::array<std::pair<std::string_view, std::string_view>, 4> work_files();

}  // namespace contraflow::sweep
