// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "gpu/kernel/ideal_machine.h"
#include "workloads/check.h"
#include "workloads/physics/cell_grid.h"
#include "workloads/physics/lennard_jones.h"

namespace contraflow::workloads_test {
namespace {

using workloads::cell_grid;
using workloads::lennard_jones;

TEST(molecular_dynamics, is_right_on_the_ideal_machine) { check("name: molecular_dynamics\ncells: 4\nsteps: 3\n", {}); }

TEST(molecular_dynamics, an_atom_more_or_less_or_elsewhere_is_seen) {
    gpu::ideal_machine machine;
    const auto w = selected("name: molecular_dynamics\ncells: 4\nsteps: 1\n").create();
    // Arrays in the order of their allocation, each from a page of its own; after one step the second eight hold atoms.
    const std::uint64_t begin = machine.memory().reserve(1);
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    ASSERT_EQ(w->verify(machine.memory()), "");

    const cell_grid grid(4);
    const std::uint32_t cell = grid.inner_cell(21);
    std::uint64_t address = begin;
    const auto next_array = [&](std::uint64_t bytes) {
        constexpr std::uint64_t page = gpu::flat_memory::page;
        return std::exchange(address, address + (bytes + page - 1) / page * page);
    };
    next_array(1);
    std::size_t falsified = 0;
    for (unsigned set = 0; set < 2; ++set) {
        const std::uint64_t atoms = std::uint64_t{grid.all()} * 32;
        for (unsigned k = 0; k < 8; ++k) {
            const std::uint64_t width = k >= 4 && k < 7 ? 8 : 4;  // count, x, y, z, three velocities, name
            const std::uint64_t array = next_array(k == 0 ? grid.all() * 4 : atoms * width);
            if (set == 0) continue;
            const gpu::array<std::uint32_t> word(array + (k == 0 ? cell * 4 : cell * 32 * width), 1);
            const std::uint32_t right = machine.memory().read(word, 0);
            machine.memory().write(word, 0, right - 1);
            EXPECT_NE(w->verify(machine.memory()), "") << "array " << k;
            machine.memory().write(word, 0, right);
            EXPECT_EQ(w->verify(machine.memory()), "");
            ++falsified;
        }
    }
    EXPECT_EQ(falsified, 8u);
}

TEST(cell_grid, every_ghost_is_written_once_and_is_the_copy_of_its_periodic_image) {
    const cell_grid grid(4);
    std::vector<std::uint32_t> content(grid.all(), ~0u);
    for (std::uint64_t n = 0; n < grid.inner(); ++n) content[grid.inner_cell(n)] = static_cast<std::uint32_t>(n);
    for (unsigned axis = 0; axis < 3; ++axis) {
        for (std::uint64_t n = 0; n < grid.ghosts(axis); ++n) {
            const auto [from, to] = grid.ghost(axis, n);
            ASSERT_NE(content[from], ~0u);
            ASSERT_EQ(content[to], ~0u);
            content[to] = content[from];
        }
    }
    for (std::uint32_t c = 0; c < grid.all(); ++c) {
        const std::uint32_t x = c % 6, y = c / 6 % 6, z = c / 36;
        EXPECT_EQ(content[c], ((z + 3) % 4 * 4 + (y + 3) % 4) * 4 + (x + 3) % 4);
    }
}

TEST(cell_grid, neighbours_are_the_cube_around) {
    const cell_grid grid(4);
    const std::uint32_t c = grid.inner_cell(21);  // at 2, 2, 2 with ghosts, of a cube of 6
    EXPECT_EQ(c, 2u * 36 + 2 * 6 + 2);
    EXPECT_EQ(grid.neighbour(c, cell_grid::itself), c);
    EXPECT_EQ(grid.neighbour(c, 0), 1u * 36 + 1 * 6 + 1);
    EXPECT_EQ(grid.neighbour(c, 26), 3u * 36 + 3 * 6 + 3);
    EXPECT_EQ(grid.cell_at({0, 1u << 30, 0xffffffffu}), 4u * 36 + 2 * 6 + 1);
}

TEST(lennard_jones, atoms_change_their_cells_within_the_steps_of_the_tests) {
    const lennard_jones physics(4);
    const cell_grid grid(4);
    const auto before = physics.crystal(1);
    auto after = before;
    physics.simulate(after, 3);
    std::size_t moved = 0;
    for (std::size_t a = 0; a < after.size(); ++a)
        moved += grid.cell_at(after[a].position) != grid.cell_at(before[a].position);
    EXPECT_GT(moved, after.size() / 10);
}

constexpr double box = 4 * 2.52, unit = box * 0x1p-32;  // of four cells, in sigma

double potential(double r) { return 4 * (std::pow(r, -12) - std::pow(r, -6)); }

TEST(lennard_jones, force_is_the_slope_of_the_potential) {
    const lennard_jones physics(4);
    for (const double r : {0.9, 1.0, 1.1225, 1.5, 2.0, 2.4}) {
        // Across the box's edge, along a direction of all three axes.
        const auto part = [&](double share) { return static_cast<std::uint32_t>(std::llround(r * share / unit)); };
        const std::uint32_t p = 5;
        const auto f = physics.force({p, p, p}, {p - part(2. / 3), p - part(2. / 3), p - part(1. / 3)});
        const double slope = (potential(r - 1e-6) - potential(r + 1e-6)) / 2e-6;
        EXPECT_NEAR(static_cast<double>(f[0]) * 0x1p-32, slope * 2 / 3, 1e-5 * std::abs(slope) + 1e-5) << r;
        EXPECT_NEAR(static_cast<double>(f[2]) * 0x1p-32, slope / 3, 1e-5 * std::abs(slope) + 1e-5) << r;
        const auto back = physics.force({p - part(2. / 3), p - part(2. / 3), p - part(1. / 3)}, {p, p, p});
        for (unsigned d = 0; d < 3; ++d) EXPECT_EQ(back[d], -f[d]);
    }
    EXPECT_EQ(physics.force({0, 0, 0}, {static_cast<std::uint32_t>(2.51 / unit), 0, 0})[0], 0);
}

// Compares with a computation in double precision without cells, units or whole numbers.
TEST(lennard_jones, motion_follows_newton) {
    const lennard_jones physics(4);
    auto atoms = physics.crystal(7);
    ASSERT_EQ(atoms.size(), 864u);
    constexpr unsigned steps = 10;
    constexpr double dt = 0.005;
    std::vector<std::array<double, 3>> x(atoms.size()), v(atoms.size());
    for (std::size_t a = 0; a < atoms.size(); ++a)
        for (unsigned d = 0; d < 3; ++d) {
            x[a][d] = atoms[a].position[d] * unit;
            v[a][d] = static_cast<double>(atoms[a].velocity[d]) * 0x1p-20 * unit / dt;
        }
    for (unsigned s = 0; s < steps; ++s) {
        for (std::size_t a = 0; a < x.size(); ++a) {
            for (std::size_t b = 0; b < x.size(); ++b) {
                std::array<double, 3> r;
                for (unsigned d = 0; d < 3; ++d) r[d] = std::remainder(x[a][d] - x[b][d], box);
                const double distance = std::hypot(r[0], r[1], r[2]);
                if (a == b || distance >= 2.5) continue;
                const double pull = (48 * std::pow(distance, -13) - 24 * std::pow(distance, -7)) / distance;
                for (unsigned d = 0; d < 3; ++d) v[a][d] += dt * pull * r[d];
            }
        }
        for (std::size_t a = 0; a < x.size(); ++a)
            for (unsigned d = 0; d < 3; ++d) x[a][d] += dt * v[a][d];
    }
    physics.simulate(atoms, steps);
    for (std::size_t a = 0; a < atoms.size(); ++a)
        for (unsigned d = 0; d < 3; ++d)
            ASSERT_NEAR(std::remainder(atoms[a].position[d] * unit - x[a][d], box), 0, 1e-6) << a;
}

}  // namespace
}  // namespace contraflow::workloads_test
