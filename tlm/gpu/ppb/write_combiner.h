// SPDX-License-Identifier: Apache-2.0
// The entries of the write combiner: a line each, with the bytes written so far. A write to a line that has an entry
// joins it. Takes no time; its owner decides when an entry leaves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/units.h"
#include "gpu/ppb/ppb_spec.h"
#include "memory/transaction/byte_enables.h"
#include "memory/transaction/payload.h"

namespace contraflow::gpu {

class write_combiner {
public:
    struct entry {
        std::uint64_t line = 0;   // address
        std::uint64_t order = 0;  // number of its first write; 0: not in use
        memory::byte_mask bytes{};
        core::sim_time since{}, deadline{};
        bool waits = false;  // until the line's earlier write has reached memory
        std::array<std::uint8_t, memory::payload::max_bytes> data;
    };
    struct change {
        std::size_t place = 0;
        bool joined = false;       // the line had an entry
        unsigned overwritten = 0;  // bytes that another write had written
    };
    static constexpr std::size_t none = ~std::size_t{0};

    explicit write_combiner(const ppb_spec& s);

    bool empty() const { return used_ == 0; }
    bool full() const { return used_ == entries_.size(); }
    std::size_t used() const { return used_; }
    const entry& at(std::size_t place) const { return entries_[place]; }
    void set_waits(std::size_t place, bool waits) { entries_[place].waits = waits; }
    std::size_t find(std::uint64_t line) const;
    // Takes a write to one line: those bytes of `data`, which is the line's. It needs an entry of the line or room.
    change take(std::uint64_t line, const memory::byte_mask& bytes, const std::uint8_t* data, core::sim_time now);
    void remove(std::size_t place);

    // The number of the youngest entry's first write.
    std::uint64_t last_order() const { return last_; }
    // Each of these is `none` if there is no such entry. The oldest one:
    std::size_t oldest() const;
    // One that can leave to make room, by the configured order.
    std::size_t victim();
    // Of those that can leave and whose deadline has come, the one with the earliest.
    std::size_t due(core::sim_time now) const;
    // The earliest deadline that has not come yet, or never.
    core::sim_time next_deadline(core::sim_time now) const;
    void reset();

private:
    const drain_order order_;
    const core::sim_time drain_after_;
    const std::uint64_t seed_;
    const unsigned line_bytes_;
    std::vector<entry> entries_;
    std::size_t used_ = 0;
    core::sim_time earliest_ = core::sim_time::never();  // deadline of all entries
    std::uint64_t last_ = 0;
    core::random_source draw_;
};

}  // namespace contraflow::gpu
