// SPDX-License-Identifier: Apache-2.0
// The queue, and a list of the words that have to be in it, around one clock. In every cycle the outputs have to be
// those of the list: each word that leaves is compared with the one that entered.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "fifo/fifo_block.h"
#include "lib/cover_counts.h"
#include "lib/findings.h"

namespace contraflow::fifo {

enum class cover_point : std::uint8_t {
#define CF_COVER_POINT(id, name) id,
#include "fifo/cover_points.inc"
#undef CF_COVER_POINT
    count
};

class fifo_bench {
public:
    fifo_bench(fifo_block& block, lib::cover_counts* cover) : block_(block), cover_(cover) {}

    // One cycle. False if a check fired in it; the test is over then.
    bool cycle(const inputs& in);
    // A few cycles in reset. False as above.
    bool reset();
    // Takes what is left; it must be empty then. False as above.
    bool drain();
    void begin_test() { found_ = {}; }

    // The words inside before the next cycle.
    const std::deque<std::uint64_t>& inside() const { return inside_; }
    parameters size() const { return size_; }
    void hit(cover_point p) {
        if (cover_ != nullptr) cover_->hit(static_cast<std::size_t>(p));
    }
    const lib::findings& found() const { return found_; }
    // Outputs of the last cycle.
    const outputs& out() const { return block_.out(); }

    std::uint64_t cycles() const { return cycles_; }
    std::uint64_t words() const { return words_; }  // that were compared as they left

private:
    void compare();
    void observe(const inputs& in);

    fifo_block& block_;
    lib::cover_counts* const cover_;
    const parameters size_ = parameters_of_build();
    lib::findings found_;
    std::deque<std::uint64_t> inside_;
    std::optional<std::uint64_t> shown_;  // the oldest word; of an empty queue the one that left last
    std::uint64_t cycles_ = 0, words_ = 0, pushed_ = 0;
};

}  // namespace contraflow::fifo
