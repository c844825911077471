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
        spent_.fill(0);
        if (carry_ != nullptr) carry_->fill(0);
    }
    // All time since the last milestone was spent in that stage.
    void add(stage s, core::sim_time now) {
        note(static_cast<std::size_t>(s), (now - last_).ps);
        last_ = now;
    }
    // A request made on behalf of this one began when this one stopped, and ends now: its stages are this one's.
    void absorb(const milestones& deputy) {
        for (std::size_t i = 0; i < stage_count; ++i) note(i, deputy.spent_[i]);
        if (deputy.carry_ != nullptr) take_carry(*deputy.carry_);
        last_ = deputy.last_;
    }
    core::sim_time begun() const { return begun_; }
    core::sim_time last() const { return last_; }
    core::sim_time spent(stage s) const;
    core::sim_time total() const;
    bool tile() const { return total() == last_ - begun_; }

private:
    // What does not fit into 32 bits (4 ms in one stage) is kept apart.
    using carry = std::array<std::uint64_t, stage_count>;

    void note(std::size_t stage, std::uint64_t ps) {
        const std::uint64_t sum = spent_[stage] + ps;
        spent_[stage] = static_cast<std::uint32_t>(sum);
        if (sum >> 32 != 0) carry_over(stage, sum >> 32 << 32);
    }
    void carry_over(std::size_t stage, std::uint64_t ps);
    void take_carry(const carry& from);

    core::sim_time last_{};
    core::sim_time begun_{};
    std::unique_ptr<carry> carry_;
    std::array<std::uint32_t, stage_count> spent_{};
};

}  // namespace contraflow::memory
