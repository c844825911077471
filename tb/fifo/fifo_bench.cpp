// SPDX-License-Identifier: Apache-2.0
#include "fifo/fifo_bench.h"

#include <fmt/format.h>

namespace contraflow::fifo {

using of = cover_point;

bool fifo_bench::cycle(const inputs& in) {
    found_.begin_cycle(cycles_);
    lib::assertions_go_to(&found_);
    block_.edge();
    block_.drive(in);
    ++cycles_;
    observe(in);
    if (!in.rst_n) {
        inside_.clear();
        shown_.reset();
        pushed_ = 0;
        return found_.empty();
    }
    compare();
    const bool full = inside_.size() == size_.depth;
    if (in.out_ready && !inside_.empty()) {
        inside_.pop_front();
        ++words_;
    }
    if (in.in_valid && !full) {
        inside_.push_back(in.in_data);
        ++pushed_;
    }
    return found_.empty();
}

void fifo_bench::compare() {
    const outputs& out = block_.out();
    const bool ready = inside_.size() < size_.depth, valid = !inside_.empty();
    if (out.in_ready != ready)
        found_.add("pins.in_ready",
                   fmt::format("{}, with {} of {} entries", out.in_ready, inside_.size(), size_.depth));
    if (out.out_valid != valid)
        found_.add("pins.out_valid", fmt::format("{}, with {} entries", out.out_valid, inside_.size()));
    if (valid) shown_ = inside_.front();
    if (shown_ && out.out_data != *shown_)
        found_.add("pins.out_data", fmt::format("{:#x}, not {:#x}", out.out_data, *shown_));
}

void fifo_bench::observe(const inputs& in) {
    const bool empty = inside_.empty(), full = inside_.size() == size_.depth;
    if (!in.rst_n) {
        hit(empty ? of::reset_empty : full ? of::reset_full : of::reset_between);
        return;
    }
    hit(empty ? of::level_empty : full ? of::level_full : of::level_between);
    const bool push = in.in_valid && !full, pop = in.out_ready && !empty;
    if (in.in_valid && full) hit(pop ? of::refused_while_a_word_leaves : of::refused);
    if (in.out_ready && empty) hit(push ? of::asked_while_a_word_enters : of::asked_in_vain);
    if (push && pop) hit(inside_.size() == 1 ? of::both_with_one : of::both_with_more);
    if (push && inside_.size() + 1 == size_.depth) hit(of::last_place_taken);
    if (pop && inside_.size() == 1) hit(of::last_word_leaves);
    if (push && pushed_ == 4ull * size_.depth) hit(of::around_several_times);
}

bool fifo_bench::reset() {
    for (unsigned i = 0; i < 2; ++i)
        if (!cycle({.rst_n = false})) return false;
    return true;
}

bool fifo_bench::drain() {
    for (unsigned i = 0; i < size_.depth; ++i)
        if (!cycle({.out_ready = true})) return false;
    return cycle({});
}

}  // namespace contraflow::fifo
