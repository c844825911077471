// SPDX-License-Identifier: Apache-2.0
// Plays a trace of arrivals against lanes that are stepped cycle by cycle: as many phits are put on the lanes in each
// cycle as serve then, or as wait.
#pragma once

#include <functional>

#include "cosim/cycle_player_if.h"
#include "cosim/stepped_lanes_if.h"
#include "link/lane_harness.h"

namespace contraflow::cosim {

class trace_player final : public cycle_player_if {
public:
    // Both outlive it. The lanes begin as newly made.
    trace_player(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace);

    std::uint64_t next() const override { return next_; }
    void prepare() override;
    void begin() override;
    void issue() override;
    // Cycles in which nothing arrives, waits or happens may be passed over.
    void seek(std::uint64_t until) override;

    // Nothing is left of the trace, and nothing waits.
    bool over();
    // A cycle, and those after it that can be passed over, none from `until` on.
    void pass(std::uint64_t until);
    const link::by_direction<std::uint64_t>* queued() const override { return &queue_; }
    // So far.
    const link::replay_result& result() const { return result_; }

private:
    void find_row();
    void note_window();

    stepped_lanes_if& lanes_;
    const std::vector<link::trace_row>& trace_;
    std::size_t row_ = 0;           // the next cycle belongs to
    std::uint64_t row_passed_ = 0;  // cycles of it
    std::uint64_t next_ = 0;
    bool launch_ = false;                         // due with the next cycle
    link::by_direction<std::uint64_t> arriving_;  // in this one
    link::by_direction<unsigned> serving_;
    link::by_direction<std::uint64_t> queue_;
    link::replay_result result_;
};

// The counterpart of link::replay, for levels that have lanes of their own.
link::replay_result replay(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace,
                           const std::function<bool()>& keep_going = {});

}  // namespace contraflow::cosim
