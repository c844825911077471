// SPDX-License-Identifier: Apache-2.0
#include "machines/link_speed.h"

#include <array>
#include <cmath>

namespace contraflow::machines {
namespace {

constexpr std::array widths{16u, 8u, 4u, 2u, 1u};
constexpr double same_rate = 0.002;
constexpr double unbelievable = 0.25;

double deviation_of(double gb_per_s, pcie::link_rate rate) {
    const double exact = rate.raw().gb_per_s();
    return std::abs(gb_per_s - exact) / exact;
}

// A number between two rates more likely belongs to a common link than to the sixth generation, whose encoding
// different releases of hwloc count differently.
double distance(double deviation, unsigned generation) {
    return deviation + (generation == pcie::newest_generation && deviation > odd_deviation ? 0.1 : 0.0);
}

}  // namespace

std::optional<speed_reading> read_link_speed(double gb_per_s, unsigned most_lanes) {
    if (!std::isfinite(gb_per_s) || gb_per_s <= 0) return std::nullopt;
    std::optional<speed_reading> best;
    double nearest = 0;
    for (const unsigned lanes : widths) {
        for (unsigned generation = 1; generation <= pcie::newest_generation; ++generation) {
            const pcie::link_rate rate{generation, lanes};
            const double deviation = deviation_of(gb_per_s, rate);
            const double off = distance(deviation, generation);
            if (!best || off < nearest - same_rate) {
                best = speed_reading{rate, deviation, false};
                nearest = off;
            } else if (std::abs(off - nearest) <= same_rate) {
                best->ambiguous = true;
                // Narrower readings come later in the loop: they win only while the first is too wide.
                if (best->rate.lanes > most_lanes) best->rate = rate;
            }
        }
    }
    if (best->deviation > unbelievable) return std::nullopt;
    return best;
}

}  // namespace contraflow::machines
