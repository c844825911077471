// SPDX-License-Identifier: Apache-2.0
// Lennard-Jones atoms in a periodic cubic box, in whole numbers (see molecular_dynamics.cpp for the units), and their
// motion, computed by the host.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace contraflow::workloads {

class lennard_jones {
public:
    using place = std::array<std::uint32_t, 3>;
    using vector = std::array<std::int64_t, 3>;
    struct atom {
        place position;
        vector velocity;
    };

    explicit lennard_jones(std::uint32_t cells_a_side);

    // A face-centred cubic crystal near the density of the liquid's triple point, set in motion.
    std::vector<atom> crystal(std::uint64_t seed) const;

    // The force on the atom at a from the atom at b; the force on b is exactly opposite.
    vector force(const place& a, const place& b) const {
        const double x = unit_ * apart(a[0], b[0]), y = unit_ * apart(a[1], b[1]), z = unit_ * apart(a[2], b[2]);
        const double squared = x * x + y * y + z * z;
        if (squared >= reach * reach) return {};
        const double s2 = 1 / squared, s6 = s2 * s2 * s2;
        const double factor = 24 * force_unit * s6 * (2 * s6 - 1) * s2;
        return {static_cast<std::int64_t>(factor * x), static_cast<std::int64_t>(factor * y),
                static_cast<std::int64_t>(factor * z)};
    }
    // The change of a velocity and of a position in one step.
    std::int64_t kick(std::int64_t force) const {
        return static_cast<std::int64_t>(kick_ * static_cast<double>(force));
    }
    static std::uint32_t drift(std::int64_t velocity) { return static_cast<std::uint32_t>(velocity >> velocity_bits); }

    // The host's method: every pair once.
    void simulate(std::vector<atom>& atoms, unsigned steps) const;

    static constexpr double reach = 2.5;  // sigma

private:
    static constexpr unsigned velocity_bits = 20;
    static constexpr double force_unit = 0x1p32;
    static double apart(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b); }

    std::uint32_t lattice_;  // unit cells of the crystal along a side
    double unit_;            // unit of length, in sigma
    double kick_;
};

}  // namespace contraflow::workloads
