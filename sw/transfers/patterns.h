// SPDX-License-Identifier: Apache-2.0
// Rules by which ranks 0 to n-1 send to each other. Every list is in ascending order of source, then of destination,
// and independent of the compiler and its library.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/units.h"

namespace contraflow::transfers {

struct rank_send {
    unsigned from = 0, to = 0;
    core::bytes size;
    friend bool operator==(const rank_send&, const rank_send&) = default;
};

// A process grid; rank = x + nx * (y + ny * z). Each rank sends a face to each neighbour.
struct halo_exchange {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<core::bytes, 3> face;  // through a face perpendicular to x, y, z
    bool periodic = false;            // the grid's ends are neighbours, twice if there are two ranks
};
std::vector<rank_send> halo_sends(const halo_exchange& halo);

std::vector<rank_send> scatter_sends(unsigned ranks, unsigned root, core::bytes size);
std::vector<rank_send> gather_sends(unsigned ranks, unsigned root, core::bytes size);
std::vector<rank_send> all_to_all_sends(unsigned ranks, core::bytes size);
// Each rank sends to the next, the last one to the first.
std::vector<rank_send> ring_sends(unsigned ranks, core::bytes size);

// `count` sends between random different ranks, in order of drawing; sizes uniform from `least` to `most`.
std::vector<rank_send> random_sends(unsigned ranks, std::uint64_t count, core::bytes least, core::bytes most,
                                    std::uint64_t seed);

}  // namespace contraflow::transfers
