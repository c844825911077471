// SPDX-License-Identifier: Apache-2.0
// A short notation for directed tests: numbers of cycles with traffic in each direction, and events at named cycles.
// Everything is compared as in every other test.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lane_reversal/bench/bench.h"
#include "lane_reversal/model/settings.h"
#include "lib/apb.h"

namespace contraflow::lane_reversal {

// An event in addition to traffic, in the given cycle; a launch or a fault takes effect with the next cycle.
struct event {
    bool launch = false, reset = false;
    std::uint32_t fault = 0;
    std::vector<lib::bus_access> accesses;
};

class directed_player {
public:
    explicit directed_player(bench& b) : bench_(b) {}

    // Resets the block, writes the settings and IRQ_ENABLE, and launches the first kernel. `absent`: a bit for each
    // lane that does not work. The next cycle is cycle 0.
    bool begin(const settings& s, std::uint32_t absent = 0, std::uint32_t irq_enable = 0);
    // Runs `cycles` cycles. Each carries up to `ab` and `ba` phits, at most one for each serving lane.
    bool run(std::uint64_t cycles, std::uint64_t ab, std::uint64_t ba);
    // One cycle in two steps: after the edge the lanes that serve are known, and then what they carry is driven.
    void edge() { bench_.edge(); }
    bool drive(std::uint64_t ab, std::uint64_t ba);
    // Each end also puts phits on all lanes that it does not serve; the block must ignore them.
    void offer_everywhere(bool on) { everywhere_ = on; }
    // Sets an event for the n-th cycle from now.
    void at(std::uint64_t n, event e) { events_[cycle_ + n] = std::move(e); }
    // Runs without traffic until nothing turns and the bus is idle.
    bool settle();
    bool access(const lib::bus_access& a);
    // What the last read has answered.
    std::uint32_t read() const { return read_; }

private:
    bool cycle(std::uint64_t ab, std::uint64_t ba) {
        edge();
        return drive(ab, ba);
    }

    bench& bench_;
    lib::apb_master bus_{1, lib::pattern::none, true};
    std::uint64_t cycle_ = 0;
    bool everywhere_ = false;
    std::uint32_t read_ = 0;
    std::map<std::uint64_t, event> events_;
};

}  // namespace contraflow::lane_reversal
