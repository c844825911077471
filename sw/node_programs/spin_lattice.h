// SPDX-License-Identifier: Apache-2.0
// Planes of a cubic lattice of Heisenberg spins (unit vectors of three floats) with random couplings of +1 or -1, and
// the over-relaxation update: each spin is reflected about the field of its six neighbours, which keeps the energy. The
// lattice is periodic. Sites whose coordinates add up to an even number are one parity, the others the other; all
// neighbours of a site have the other parity, so the sites of a parity can be updated in any order.
//
// In memory, for each parity: the plane below, own planes, the plane above; a plane is side rows of side / 2 spins.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace contraflow::node_programs {

class spin_lattice {
public:
    using spin = std::array<float, 3>;

    static std::uint64_t plane_bytes(std::uint32_t side) { return sizeof(spin) * side * side / 2; }
    static std::uint64_t bytes(std::uint32_t side, std::uint32_t planes) {
        return 2 * (planes + 2) * plane_bytes(side);
    }

    // A view of `memory`, which has planes `first` to `first` + `planes` - 1 of a lattice. `side` is even.
    spin_lattice(std::span<std::uint8_t> memory, std::uint32_t side, std::uint32_t first, std::uint32_t planes,
                 std::uint64_t seed);

    // The offset in memory of a plane; -1 is the plane below, `planes` the plane above.
    std::uint64_t offset(unsigned parity, int plane) const;
    // Sets all spins, also those of the planes below and above, to directions that depend on seed and coordinates only.
    void fill();
    // Updates the sites of that parity in planes from <= plane < to.
    void update(unsigned parity, int from, int to);
    // The energy of the couplings within own planes and upwards: over all nodes, every coupling counts once.
    double energy() const;
    spin at(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const;

private:
    std::uint32_t x_of(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const;
    // The coupling, +1 or -1, of a site and its neighbour in direction 0 (x), 1 (y) or 2 (plane).
    float coupling(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned direction) const;
    void set(unsigned parity, int plane, std::uint32_t row, std::uint32_t n, const spin& s);
    spin field(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const;
    std::uint32_t z_of(int plane) const {
        return (first_ + static_cast<std::uint32_t>(plane + static_cast<int>(side_))) % side_;
    }

    std::span<std::uint8_t> memory_;
    std::uint32_t side_, first_, planes_;
    std::uint64_t seed_;
};

}  // namespace contraflow::node_programs
