// SPDX-License-Identifier: Apache-2.0
// The energy and area of a link's wires. Source: "Asymmetric Links for TMS-GPUs": 8 lanes with transmitters and
// receivers at 25 GT/s take about 1.5 W and 3.3 mm^2, and 0.5 pJ for each bit. A lane here is one wire pair.
//
// Two things are ours, because the source has no figure for them:
// - Power grows with the lane's rate: a transceiver of one technology takes about the same energy for each bit at any
//   rate at which it works. Area and 0.5 pJ/b do not depend on the rate.
// - A lane that can turn has a transmitter and a receiver at each of its ends: twice the transceivers, in area and in
//   power. Those that do not serve stay on, or their clocks would not be locked again within a turn's time.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace contraflow::link {

struct link_energy {
    static constexpr double bits_per_s = 25e9;  // at which the source gives the power
    static constexpr double watts_per_lane = 1.5 / 8;
    static constexpr double square_mm_per_lane = 3.3 / 8;
    static constexpr double joules_per_bit = 0.5e-12;

    double transferred = 0;  // J, by the amount sent
    double switched_on = 0;  // J, by the lanes and the time they were on, busy or not
    double area = 0;         // mm^2
    double total() const { return transferred + switched_on; }
};

// What the lanes of a link are, as far as their energy depends on it.
struct link_lanes {
    unsigned count = 0;  // of both directions
    core::bandwidth rate{};
    bool reversible = false;

    unsigned transceivers() const { return reversible ? 2 : 1; }  // a lane's pairs of transmitter and receiver
    double watts() const {                                        // of a lane
        return link_energy::watts_per_lane * transceivers() * (rate.bytes_per_s * 8 / link_energy::bits_per_s);
    }
};

inline link_energy energy_of(const link_lanes& lanes, std::uint64_t bytes, double lane_seconds) {
    return {static_cast<double>(bytes) * 8 * link_energy::joules_per_bit, lane_seconds * lanes.watts(),
            lanes.count * lanes.transceivers() * link_energy::square_mm_per_lane};
}

}  // namespace contraflow::link
