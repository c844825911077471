// SPDX-License-Identifier: Apache-2.0
// Frames whose lines a cache must write back or invalidate. The cache checks each of its lines once, for any number of
// frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory/cache/line_filter.h"

namespace contraflow::host {

class frame_set {
public:
    frame_set(std::vector<std::uint64_t> frames, std::uint64_t bytes) : frames_(std::move(frames)), bytes_(bytes) {
        std::sort(frames_.begin(), frames_.end());
    }
    const std::vector<std::uint64_t>& frames() const { return frames_; }
    // The filter refers to this object, so do not move it.
    memory::line_filter lines() const {
        if (frames_.size() == 1) return memory::line_filter::range(frames_[0], bytes_);
        return {[](const void* set, std::uint64_t address) {
                    const auto& s = *static_cast<const frame_set*>(set);
                    return std::binary_search(s.frames_.begin(), s.frames_.end(), address / s.bytes_ * s.bytes_);
                },
                this};
    }

private:
    std::vector<std::uint64_t> frames_;
    std::uint64_t bytes_;
};

}  // namespace contraflow::host
