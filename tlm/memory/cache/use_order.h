// SPDX-License-Identifier: Apache-2.0
// The order in which the lines of each set were last put in front, a byte a line.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "memory/cache/replacement_if.h"

namespace contraflow::memory {

class use_order {
public:
    explicit use_order(const replacement_shape& shape) : shape_(shape) {}

    void put_in_front(unsigned set, unsigned way) {
        if (ages_.empty()) start();  // an idle cache has none
        std::uint8_t* const ages = &ages_[std::size_t{set} * shape_.ways];
        const std::uint8_t age = ages[way];
        for (unsigned w = 0; w < shape_.ways; ++w) ages[w] = static_cast<std::uint8_t>(ages[w] + (ages[w] < age));
        ages[way] = 0;
    }
    unsigned last(unsigned set, std::uint64_t candidates) const {
        const std::uint8_t* const ages = &ages_[std::size_t{set} * shape_.ways];
        unsigned oldest = static_cast<unsigned>(std::countr_zero(candidates));
        for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
            const auto way = static_cast<unsigned>(std::countr_zero(candidates));
            if (ages[way] > ages[oldest]) oldest = way;
        }
        return oldest;
    }
    void reset() { ages_.clear(); }

private:
    void start() {
        ages_.resize(std::size_t{shape_.sets} * shape_.ways);
        for (std::size_t i = 0; i < ages_.size(); ++i) ages_[i] = static_cast<std::uint8_t>(i % shape_.ways);
    }

    const replacement_shape shape_;
    std::vector<std::uint8_t> ages_;  // 0: in front
};

}  // namespace contraflow::memory
