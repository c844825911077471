// SPDX-License-Identifier: Apache-2.0
// A contiguous run of a grid's CTAs by their flattened numbers, and how a grid is cut into such runs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace contraflow::gpu {

struct cta_run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    constexpr std::uint64_t count() const { return end - begin; }
    constexpr bool empty() const { return begin == end; }
    friend constexpr bool operator==(const cta_run&, const cta_run&) = default;
};

// One of `parts` runs that are equal but for one CTA: the first (count mod parts) have one more.
constexpr cta_run part_of(const cta_run& whole, std::uint64_t part, std::uint64_t parts) {
    const std::uint64_t each = whole.count() / parts;
    const std::uint64_t longer = whole.count() % parts;
    const std::uint64_t begin = whole.begin + part * each + std::min(part, longer);
    return {begin, begin + each + (part < longer ? 1 : 0)};
}

}  // namespace contraflow::gpu
