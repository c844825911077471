// SPDX-License-Identifier: Apache-2.0
// The threads of a wavefront process the items of their segments together, one segment per thread: the rows of a
// matrix, the edges of vertices. However unequal the segments are, every step but the last has an item for each thread,
// and adjacent items are loaded by adjacent threads. On hardware: a prefix sum once, then a search by shuffles in each
// step. All threads must be active during the walk.
//   segment_walk walk(w, begin, end, which);
//   while (walk.next()) auto to = co_await w.load(edges, walk.item(), walk.here());
#pragma once

#include <cstdint>

#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

class segment_walk {
public:
    // Items begin[k] to end[k] - 1 of each thread k that is in `which`.
    segment_walk(gpu::wave w, const gpu::per_thread<std::uint32_t>& begin, const gpu::per_thread<std::uint32_t>& end,
                 gpu::mask which)
        : wave_(w),
          left_(which),
          item_of_thread_(begin),
          end_(end) {
        w.work(2 * w.tree_steps());  // an inclusive sum over the threads: shuffles, additions
    }

    // Gives each thread its next item; false when there is none left.
    bool next() {
        const unsigned threads = wave_.active().count();
        unsigned taken = 0;
        while (left_.any() && taken < threads) {
            const unsigned thread = left_.lowest();
            for (; taken < threads && item_of_thread_[thread] < end_[thread]; ++taken) {
                item_[taken] = item_of_thread_[thread]++;
                owner_[taken] = thread;
            }
            if (item_of_thread_[thread] >= end_[thread]) left_ = left_.without_lowest();
        }
        here_ = gpu::mask::first(taken);
        if (taken != 0) wave_.work(2 * wave_.tree_steps());  // a binary search over the sums: shuffles, comparisons
        return taken != 0;
    }

    gpu::mask here() const { return here_; }                                // threads that have an item
    const gpu::per_thread<std::uint32_t>& item() const { return item_; }    // which
    const gpu::per_thread<std::uint32_t>& owner() const { return owner_; }  // the thread whose segment it is from

    // Adds each item's value to the sum of its owner, in the order of the items.
    template <class T> void add_to_owners(const gpu::per_thread<T>& value, gpu::per_thread<T>& sums) const {
        fold_into_owners(value, sums, [](T a, T b) { return a + b; });
    }
    // The same with result = f(result, value).
    template <class T, class Function>
    void fold_into_owners(const gpu::per_thread<T>& value, gpu::per_thread<T>& results, Function f) const {
        wave_.work(3 * wave_.tree_steps());  // a segmented sum: shuffles, comparisons and additions
        for (gpu::mask m = here_; m.any(); m = m.without_lowest()) {
            T& result = results[owner_[m.lowest()]];
            result = f(result, value[m.lowest()]);
        }
    }

private:
    gpu::wave wave_;
    gpu::mask left_;  // threads whose segments have items left
    gpu::per_thread<std::uint32_t> item_of_thread_;
    gpu::per_thread<std::uint32_t> end_;
    gpu::mask here_;
    gpu::per_thread<std::uint32_t> item_;
    gpu::per_thread<std::uint32_t> owner_;
};

}  // namespace contraflow::workloads
