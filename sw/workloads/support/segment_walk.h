// SPDX-License-Identifier: Apache-2.0
// Lets the 32 lanes of a wavefront go together through the items of up to 32 segments, one segment a lane: the rows of
// a matrix, the edges of vertices. However unequal the segments are, every step but the last has 32 items, and items
// that lie side by side are loaded side by side. On hardware: a prefix sum once, then a search a step by shuffles.
// All lanes must be active while it goes.
//   segment_walk walk(w, begin, end, which);
//   while (walk.next()) auto to = co_await w.load(edges, walk.item(), walk.here());
#pragma once

#include <cstdint>

#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

class segment_walk {
public:
    // Items begin[k] to end[k] - 1 of each lane k that is in `which`.
    segment_walk(gpu::wave w, const gpu::lanes<std::uint32_t>& begin, const gpu::lanes<std::uint32_t>& end,
                 gpu::mask which)
        : wave_(w),
          left_(which),
          item_in_lane_(begin),
          end_(end) {
        w.work(10);  // an inclusive sum over 32 lanes: five shuffles, five additions
    }

    // Gives each lane its next item; false when there is none left.
    bool next() {
        unsigned taken = 0;
        while (left_.any() && taken < gpu::wave_width) {
            const unsigned lane = left_.lowest();
            for (; taken < gpu::wave_width && item_in_lane_[lane] < end_[lane]; ++taken) {
                item_[taken] = item_in_lane_[lane]++;
                owner_[taken] = lane;
            }
            if (item_in_lane_[lane] >= end_[lane]) left_ = left_.without_lowest();
        }
        here_ = gpu::mask::first(taken);
        if (taken != 0) wave_.work(10);  // a binary search over 32 sums: five shuffles, five comparisons
        return taken != 0;
    }

    gpu::mask here() const { return here_; }                           // lanes that have an item
    const gpu::lanes<std::uint32_t>& item() const { return item_; }    // which
    const gpu::lanes<std::uint32_t>& owner() const { return owner_; }  // the lane whose segment it is from

    // Adds each item's value to the sum of its owner, in the order of the items.
    template <class T> void add_to_owners(const gpu::lanes<T>& value, gpu::lanes<T>& sums) const {
        fold_into_owners(value, sums, [](T a, T b) { return a + b; });
    }
    // result = f(result, value) likewise.
    template <class T, class Function>
    void fold_into_owners(const gpu::lanes<T>& value, gpu::lanes<T>& results, Function f) const {
        wave_.work(15);  // a segmented sum over 32 lanes: five shuffles, comparisons and additions
        for (gpu::mask m = here_; m.any(); m = m.without_lowest()) {
            T& result = results[owner_[m.lowest()]];
            result = f(result, value[m.lowest()]);
        }
    }

private:
    gpu::wave wave_;
    gpu::mask left_;  // lanes whose segments have items left
    gpu::lanes<std::uint32_t> item_in_lane_;
    gpu::lanes<std::uint32_t> end_;
    gpu::mask here_;
    gpu::lanes<std::uint32_t> item_;
    gpu::lanes<std::uint32_t> owner_;
};

}  // namespace contraflow::workloads
