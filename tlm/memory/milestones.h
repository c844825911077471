// SPDX-License-Identifier: Apache-2.0
// Where a request spent its life, in ps a stage. Every moment from begin() to the last add() belongs to one stage, so
// the stages of a request sum to its latency exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/units.h"

namespace contraflow::memory {

enum class stage : std::uint8_t {
    coalescer,          // in the compute unit, before its first cache
    l1,                 // in a cache private to a compute unit, both ways
    merge,              // waiting for a line that another request had already asked for
    crossbar,           // on the way to the memory side
    link_queue,         // waiting for a link between sockets
    link,               // on it
    l2,                 // in a cache of the requester's own socket
    remote_l2,          // in a cache of another socket
    dram,               // in the memory of the requester's own socket
    remote_dram,        // in the memory of another socket
    response_crossbar,  // the way back
    response_link_queue,
    response_link,
};
inline constexpr std::size_t stage_count = 13;

std::string_view stage_name(stage s);

class milestones {
public:
    milestones() = default;
    milestones(const milestones& o);
    milestones& operator=(const milestones& o);
    ~milestones() = default;

    void begin(core::sim_time now) {
        begun_ = last_ = now;
        notes_.fill(0);
        if (spill_ != nullptr) spill_->fill(0);
    }
    // All time since the last milestone was spent in that stage.
    void add(stage s, core::sim_time now) {
        note(s, (now - last_).ps);
        last_ = now;
    }
    // A request made on behalf of this one began when this one stopped, and ends now: its stages are this one's.
    void absorb(const milestones& deputy) {
        for (const std::uint32_t n : deputy.notes_) note(stage_of(n), time_of(n));
        if (deputy.spill_ != nullptr) take_spill(*deputy.spill_);
        last_ = deputy.last_;
    }
    core::sim_time begun() const { return begun_; }
    core::sim_time last() const { return last_; }
    core::sim_time spent(stage s) const;
    core::sim_time total() const;
    bool tile() const { return total() == last_ - begun_; }

private:
    // A note is a stage and its time, in 28 bits; the first that is 0 is free. What notes can't hold is spilt.
    static constexpr unsigned stage_bits = 4, most_notes = 10;
    static constexpr std::uint64_t most_time = (std::uint64_t{1} << (32 - stage_bits)) - 1;
    static_assert(stage_count <= 1u << stage_bits);
    using spill = std::array<std::uint64_t, stage_count>;
    static stage stage_of(std::uint32_t note) { return static_cast<stage>(note & ((1u << stage_bits) - 1)); }
    static std::uint64_t time_of(std::uint32_t note) { return note >> stage_bits; }

    void note(stage s, std::uint64_t ps) {
        if (ps == 0) return;
        for (std::uint32_t& n : notes_) {
            if (n != 0 && (stage_of(n) != s || time_of(n) + ps > most_time)) continue;
            if (ps > most_time) break;
            n = static_cast<std::uint32_t>((time_of(n) + ps) << stage_bits) | static_cast<std::uint32_t>(s);
            return;
        }
        spill_over(s, ps);
    }
    void spill_over(stage s, std::uint64_t ps);
    void take_spill(const spill& from);

    // In this order the front end of a request's extension fits in two lines of the host's cache.
    core::sim_time last_{};
    core::sim_time begun_{};
    std::unique_ptr<spill> spill_;
    std::array<std::uint32_t, most_notes> notes_{};
};

}  // namespace contraflow::memory
