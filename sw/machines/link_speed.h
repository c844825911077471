// SPDX-License-Identifier: Apache-2.0
// From the one number hwloc gives for a link (GB/s after line encoding) back to generation and width.
// The number is ambiguous: gen3 x16, gen4 x8 and gen5 x4 all carry 15.75 GB/s. The widest is taken; the rate is the
// same.
#pragma once

#include <optional>

#include "pcie/link/link_rate.h"

namespace contraflow::machines {

struct speed_reading {
    pcie::link_rate rate;
    double deviation = 0;    // relative deviation of the given number from that rate: 0.05 is 5 %
    bool ambiguous = false;  // another generation and width carry the same
};

// Beyond this deviation a number is near a PCIe rate, but is none.
inline constexpr double odd_deviation = 0.03;

// None for a number without meaning: 0, negative, not finite, or more than a quarter away from every PCIe rate.
// `most_lanes`: the widest reading to be taken where several give the same rate (4 for an NVMe drive).
std::optional<speed_reading> read_link_speed(double gb_per_s, unsigned most_lanes = 16);

}  // namespace contraflow::machines
