// SPDX-License-Identifier: Apache-2.0
// Functional coverage: how often each named point was reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

namespace contraflow::lib {

class cover_counts {
public:
    // The names in the order of their numbers; they outlive this.
    explicit cover_counts(std::span<const char* const> names) : names_(names), counts_(names.size()) {}

    void hit(std::size_t point) { ++counts_.at(point); }
    // A line for each point: its name and its count.
    void write(std::ostream& to) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) to << names_[i] << ' ' << counts_[i] << '\n';
    }

private:
    const std::span<const char* const> names_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace contraflow::lib
