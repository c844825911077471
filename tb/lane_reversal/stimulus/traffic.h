// SPDX-License-Identifier: Apache-2.0
// Arrivals at the two queues of a link, and the phits on its lanes. Shapes come in phases, so that demand changes
// while lanes turn, in mid window, and exactly on a window's boundary. A gate holds arrivals back in one of four
// patterns.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "lib/gate.h"
#include "link/lanes/direction.h"

namespace contraflow::lane_reversal {

// The state of the link that the generator may use in this cycle.
struct link_view {
    std::uint32_t serve_ab = 0, serve_ba = 0;  // lanes that may be used
    std::uint64_t cycle_of_window = 0, sample_time = 1;
    link::by_direction<std::uint64_t> busy, capacity;  // in the window, before this cycle
    unsigned threshold = 0;                            // per cent
    bool turning = false;
};

class traffic {
public:
    struct masks {
        std::uint32_t ab = 0, ba = 0;
    };

    traffic(std::uint64_t seed, unsigned lanes_per_direction, lib::pattern gate);
    masks next(const link_view& v);
    // Phases last as long as a few of these.
    void set_phase_unit(std::uint64_t cycles) { unit_ = cycles; }

private:
    enum class shape : std::uint8_t { idle, full, one_way, split, on_the_edge, noise, burst };

    void begin_phase(const link_view& v);
    std::uint64_t arrivals(link::direction d);
    std::uint64_t on_the_edge(link::direction d, const link_view& v, unsigned lanes) const;
    std::uint32_t choose(std::uint32_t lanes, std::uint64_t used);

    core::random_source random_;
    const unsigned lanes_;  // both directions together
    lib::gate gate_;
    std::uint64_t unit_ = 20;
    shape shape_ = shape::idle;
    std::uint64_t left_ = 0;  // cycles of the phase
    link::by_direction<std::uint64_t> rate_;
    link::by_direction<std::uint64_t> queue_;
    link::by_direction<int> aim_;  // on_the_edge: how far from the threshold a direction ends a window
};

}  // namespace contraflow::lane_reversal
