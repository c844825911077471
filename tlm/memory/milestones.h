// SPDX-License-Identifier: Apache-2.0
// Where a request spent its life, in ps a stage. Every moment from begin() to the last add() belongs to one stage, so
// the stages of a request sum to its latency exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
    void begin(core::sim_time now) {
        begun_ = last_ = now;
        spent_.fill(0);
    }
    // All time since the last milestone was spent in that stage.
    void add(stage s, core::sim_time now) {
        spent_[static_cast<std::size_t>(s)] += (now - last_).ps;
        last_ = now;
    }
    // A request made on behalf of this one began when this one stopped, and ends now: its stages are this one's.
    void absorb(const milestones& deputy) {
        for (std::size_t i = 0; i < stage_count; ++i) spent_[i] += deputy.spent_[i];
        last_ = deputy.last_;
    }
    core::sim_time begun() const { return begun_; }
    core::sim_time last() const { return last_; }
    core::sim_time spent(stage s) const { return {spent_[static_cast<std::size_t>(s)]}; }
    core::sim_time total() const {
        std::uint64_t sum = 0;
        for (const auto ps : spent_) sum += ps;
        return {sum};
    }
    bool tile() const { return total() == last_ - begun_; }

private:
    core::sim_time begun_{};
    core::sim_time last_{};
    std::array<std::uint64_t, stage_count> spent_{};
};

}  // namespace contraflow::memory
