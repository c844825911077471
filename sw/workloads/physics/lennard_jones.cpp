// SPDX-License-Identifier: Apache-2.0
#include "workloads/physics/lennard_jones.h"

#include "core/random.h"

namespace contraflow::workloads {
namespace {

constexpr double cell_width = 2.52;  // sigma: a little more than the range of the force
constexpr double step = 0.005;       // in the unit of sigma, epsilon and mass
constexpr double fastest = 1.47;     // along an axis: a temperature of 0.72

}  // namespace

// One and a half unit cells of the crystal in a cell: four atoms in (1.68 sigma)^3, a density of 0.84.
lennard_jones::lennard_jones(std::uint32_t cells_a_side)
    : lattice_(cells_a_side * 3 / 2),
      unit_(cells_a_side * cell_width * 0x1p-32),
      kick_(step * step / unit_ * (1 << velocity_bits) / force_unit) {}

std::vector<lennard_jones::atom> lennard_jones::crystal(std::uint64_t seed) const {
    constexpr std::array<std::array<unsigned, 3>, 4> faces{{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
    // The crystal begins a little above the planes between cells, so that atoms cross them from the first steps on.
    const auto at = [this](std::uint32_t i, unsigned half) {
        return static_cast<std::uint32_t>((((std::uint64_t{2} * i + half) << 31) + (1u << 23)) / lattice_);
    };
    core::random_source random(seed);
    const auto speed = [&] {
        return static_cast<std::int64_t>((2 * random.unit() - 1) * fastest * step / unit_ * (1 << velocity_bits));
    };
    std::vector<atom> atoms;
    for (std::uint32_t z = 0; z < lattice_; ++z)
        for (std::uint32_t y = 0; y < lattice_; ++y)
            for (std::uint32_t x = 0; x < lattice_; ++x)
                for (const auto& f : faces) {
                    atom a;
                    a.position = {at(x, f[0]), at(y, f[1]), at(z, f[2])};
                    for (auto& v : a.velocity) v = speed();
                    atoms.push_back(a);
                }
    return atoms;
}

void lennard_jones::simulate(std::vector<atom>& atoms, unsigned steps) const {
    const auto side = static_cast<std::uint32_t>(unit_ * 0x1p32 / reach);
    const auto along = [&](std::uint32_t p) { return static_cast<std::uint32_t>(std::uint64_t{p} * side >> 32); };
    const auto bin = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return (std::size_t{z % side} * side + y % side) * side + x % side;
    };
    for (unsigned s = 0; s < steps; ++s) {
        std::vector<std::vector<std::uint32_t>> bins(std::size_t{side} * side * side);
        for (std::uint32_t a = 0; a < atoms.size(); ++a) {
            const place& p = atoms[a].position;
            bins[bin(along(p[0]), along(p[1]), along(p[2]))].push_back(a);
        }
        std::vector<vector> sum(atoms.size());
        for (std::uint32_t a = 0; a < atoms.size(); ++a) {
            const place& p = atoms[a].position;
            for (unsigned n = 0; n < 27; ++n) {
                const std::size_t near = bin(along(p[0]) + side - 1 + n % 3, along(p[1]) + side - 1 + n / 3 % 3,
                                             along(p[2]) + side - 1 + n / 9);
                for (const std::uint32_t b : bins[near]) {
                    if (b <= a) continue;
                    const vector f = force(p, atoms[b].position);
                    for (unsigned d = 0; d < 3; ++d) {
                        sum[a][d] += f[d];
                        sum[b][d] -= f[d];
                    }
                }
            }
        }
        for (std::size_t a = 0; a < atoms.size(); ++a) {
            for (unsigned d = 0; d < 3; ++d) {
                atoms[a].velocity[d] += kick(sum[a][d]);
                atoms[a].position[d] += drift(atoms[a].velocity[d]);
            }
        }
    }
}

}  // namespace contraflow::workloads
