// SPDX-License-Identifier: Apache-2.0
// Plays the recorded inputs of a set of lanes, cycle by cycle, against RTL and model in lockstep. A cycle has three
// steps. It puts the phits that were completed in it on the lanes. The last part of a phit, the rest of a picosecond,
// may be reported a cycle late. If all lanes are then in use, the phit waits for the next cycle with room.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "cosim/lane_lockstep.h"
#include "cosim/lane_recording.h"

namespace contraflow::cosim {

class lane_player {
public:
    lane_player(lane_lockstep& lanes, std::uint64_t ticks_a_cycle) : lanes_(lanes), ticks_(ticks_a_cycle) {}

    // Call in order of time.
    void add(const lane_event& e);
    void add(link::direction d, const link::lane_burst& b);
    // Plays all cycles before that one; everything in them must be known.
    void play(std::uint64_t until);

    // The three steps of the next cycle: its inputs, its beginning, its phits.
    std::uint64_t next() const { return next_; }
    void prepare();
    void begin();
    void issue();

    // Phits that were put on lanes in the cycle that was played last.
    const link::by_direction<std::uint64_t>& issued() const { return issued_; }
    // Phits of the window that are not yet on lanes.
    link::by_direction<std::uint64_t> waiting() const { return {flow_.ab.waiting, flow_.ba.waiting}; }

private:
    struct happening {  // before a cycle
        std::uint64_t at = 0;
        bool start = false;
        unsigned failed = 0;  // for a start
        lane_edge edge;
    };
    struct flow {
        std::deque<link::lane_burst> bursts;
        std::uint64_t taken = 0;    // lane-ticks of the first burst
        std::uint64_t part = 0;     // lane-ticks of a phit that is not complete
        std::uint64_t waiting = 0;  // phits
    };

    happening& before(std::uint64_t cycle);
    std::uint64_t phits(flow& f, unsigned lanes) const;

    lane_lockstep& lanes_;
    const std::uint64_t ticks_;
    std::uint64_t next_ = 0;
    std::deque<happening> happenings_;  // in order of time
    link::by_direction<flow> flow_;
    link::by_direction<std::uint64_t> issued_;
};

// For lanes that exist only while they are played: gets a complete recording.
using player_factory = std::function<std::unique_ptr<lane_player>(lane_lockstep& lanes)>;
player_factory player_of(lane_recording recorded);

}  // namespace contraflow::cosim
