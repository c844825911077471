// SPDX-License-Identifier: Apache-2.0
// Options whose value is a list of numbers, such as --gpus 1,2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace contraflow::face {

// The numbers in `text`, each once and from `first` to `last`. Throws usage_error with what is allowed; `noun` says
// what has these numbers: "GPU".
std::vector<unsigned> numbers_in(std::string_view option, const std::string& text, std::string_view noun,
                                 unsigned first, unsigned last);

}  // namespace contraflow::face
