// SPDX-License-Identifier: Apache-2.0
// The order in which the lines of a cache were last stamped.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "memory/replacement_if.h"

namespace contraflow::memory {

class use_stamps {
public:
    explicit use_stamps(const replacement_shape& shape) : shape_(shape) {}

    void stamp(unsigned set, unsigned way) {
        if (stamps_.empty()) stamps_.resize(std::size_t{shape_.sets} * shape_.ways);  // an idle cache has none
        stamps_[std::size_t{set} * shape_.ways + way] = ++now_;
    }
    unsigned oldest(unsigned set, std::uint64_t candidates) const {
        const std::uint64_t* const of_set = &stamps_[std::size_t{set} * shape_.ways];
        unsigned best = static_cast<unsigned>(std::countr_zero(candidates));
        for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
            const auto way = static_cast<unsigned>(std::countr_zero(candidates));
            if (of_set[way] < of_set[best]) best = way;
        }
        return best;
    }
    void reset() {
        stamps_.clear();
        now_ = 0;
    }

private:
    const replacement_shape shape_;
    std::vector<std::uint64_t> stamps_;
    std::uint64_t now_ = 0;
};

}  // namespace contraflow::memory
