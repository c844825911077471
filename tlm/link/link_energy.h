// SPDX-License-Identifier: Apache-2.0
// The energy and area of a link's wires. Source: "Asymmetric Links for TMS-GPUs": 8 lanes with transmitters and
// receivers at 25 GT/s take about 1.5 W and 3.3 mm^2, and 0.5 pJ for each bit. A lane here is one wire pair with one
// transmitter and one receiver. A reversible lane needs both at each end; this is not counted, because the source has
// no figure for it.
#pragma once

#include <cstdint>

namespace contraflow::link {

struct link_energy {
    static constexpr double watts_per_lane = 1.5 / 8;
    static constexpr double square_mm_per_lane = 3.3 / 8;
    static constexpr double joules_per_bit = 0.5e-12;

    double transferred = 0;  // J, by the amount sent
    double switched_on = 0;  // J, by the lanes and the time they were on, busy or not
    double area = 0;         // mm^2
    double total() const { return transferred + switched_on; }
};

constexpr link_energy energy_of(std::uint64_t bytes, double lane_seconds, unsigned lanes) {
    return {static_cast<double>(bytes) * 8 * link_energy::joules_per_bit, lane_seconds * link_energy::watts_per_lane,
            lanes * link_energy::square_mm_per_lane};
}

}  // namespace contraflow::link
