// SPDX-License-Identifier: Apache-2.0
// The values of a swept key as numbers with a unit, if they are such: "4kB, 64kB" is 4 and 64 in kB; "512KiB, 1MiB"
// is 512 and 1024 in KiB.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace contraflow::sweep {

struct number_series {
    std::string unit;             // "" if they have none
    std::vector<double> numbers;  // one for each label
};

// None unless every label is a number of the same kind.
std::optional<number_series> as_numbers(const std::vector<std::string>& labels);

}  // namespace contraflow::sweep
