// SPDX-License-Identifier: Apache-2.0
// Atoms with Lennard-Jones forces, in cells as wide as the range of the force. Each step copies the cells at each face
// of the periodic box beyond the opposite face, sums forces, and moves atoms to their next positions and cells.
// Positions, velocities and forces are whole numbers: sums do not depend on their order, so the result is exact
// although atoms enter a cell in any order.
// Lengths: 2^-32 of the box; velocities: 2^-20 of that a step; forces: 2^-32 of sigma and epsilon's unit.
#include <algorithm>
#include <array>
#include <utility>

#include "workloads/physics/cell_grid.h"
#include "workloads/physics/lennard_jones.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr std::uint32_t slots = 32;  // atoms that a cell can hold; about 13.5 are in it
constexpr std::uint32_t block = 128;

// The atoms of all cells: slot by slot, cell by cell.
struct atom_arrays {
    array<std::uint32_t> count;  // by cell
    std::array<array<std::uint32_t>, 3> position;
    std::array<array<std::int64_t>, 3> velocity;
    array<std::uint32_t> name;

    atom_arrays() = default;
    atom_arrays(device_memory& memory, std::uint32_t cells) : count(memory.allocate<std::uint32_t>(cells)) {
        for (auto& p : position) p = memory.allocate<std::uint32_t>(std::size_t{cells} * slots);
        for (auto& v : velocity) v = memory.allocate<std::int64_t>(std::size_t{cells} * slots);
        name = memory.allocate<std::uint32_t>(std::size_t{cells} * slots);
    }
};

class molecular_dynamics_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t cells = 6;
        unsigned steps = 3;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("cells", &spec::cells).in(4, 64).text("cells along each side of the box, with about 13.5 atoms each");
            f("steps", &spec::steps).in(1, 10000).text("steps of time, 0.005 of the unit each");
            f("seed", &spec::seed).text("seed of the atoms' velocities");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.cells = 20;
            s.steps = 10;
        }
        return s;
    }
    explicit molecular_dynamics_workload(const spec& s) : spec_(s), grid_(s.cells), physics_(s.cells) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel clear(wave w);
    kernel exchange(wave w);
    kernel sum_forces(wave w);
    kernel advance(wave w);
    std::uint64_t cell_number_of(wave w) const { return w.cta() * w.waves_in_cta() + w.wave_in_cta(); }

    const spec spec_;
    const cell_grid grid_;
    const lennard_jones physics_;
    atom_arrays now_, next_;
    std::array<array<std::int64_t>, 3> force_;
    array<std::uint32_t> lost_;  // atoms that found their cell full
    unsigned axis_ = 0;          // the exchange's axis
};

void molecular_dynamics_workload::prepare(device_memory& memory) {
    now_ = atom_arrays(memory, grid_.all());
    next_ = atom_arrays(memory, grid_.all());
    for (auto& f : force_) f = memory.allocate<std::int64_t>(std::size_t{grid_.all()} * slots);
    lost_ = memory.allocate<std::uint32_t>(1);

    const auto atoms = physics_.crystal(spec_.seed);
    std::vector<std::uint32_t> count(grid_.all());
    std::array<std::vector<std::uint32_t>, 3> position;
    std::array<std::vector<std::int64_t>, 3> velocity;
    std::vector<std::uint32_t> name(std::size_t{grid_.all()} * slots);
    position.fill(name);
    velocity.fill(std::vector<std::int64_t>(name.size()));
    for (std::uint32_t a = 0; a < atoms.size(); ++a) {
        const std::uint32_t cell = grid_.cell_at(atoms[a].position);
        const std::size_t slot = std::size_t{cell} * slots + count[cell]++;
        for (unsigned d = 0; d < 3; ++d) position[d][slot] = atoms[a].position[d];
        for (unsigned d = 0; d < 3; ++d) velocity[d][slot] = atoms[a].velocity[d];
        name[slot] = a;
    }
    memory.write(now_.count, count);
    memory.write(now_.name, name);
    for (unsigned d = 0; d < 3; ++d) memory.write(now_.position[d], position[d]);
    for (unsigned d = 0; d < 3; ++d) memory.write(now_.velocity[d], velocity[d]);
}

host_task molecular_dynamics_workload::run(gpu_system_if& gpu) {
    const unsigned cells_a_block = waves_of(block, gpu.wave_width());
    const auto grid = static_cast<std::uint32_t>(blocks_for(grid_.inner(), cells_a_block));
    for (unsigned step = 0; step < spec_.steps; ++step) {
        co_await gpu.launch({"clear", grid, block, this, &molecular_dynamics_workload::clear});
        for (axis_ = 0; axis_ < 3; ++axis_) {
            const std::uint32_t copies = blocks_for(grid_.ghosts(axis_), cells_a_block);
            co_await gpu.launch({"exchange", copies, block, this, &molecular_dynamics_workload::exchange});
        }
        co_await gpu.launch({"force", grid, block, this, &molecular_dynamics_workload::sum_forces});
        co_await gpu.launch({"advance", grid, block, this, &molecular_dynamics_workload::advance});
        std::swap(now_, next_);
    }
}

kernel molecular_dynamics_workload::clear(wave w) {
    const std::uint64_t number = cell_number_of(w);
    if (number < grid_.inner()) co_await w.store(next_.count, grid_.inner_cell(number), 0u, mask::thread(0));
}

// Copies a cell to its ghost. Ghosts of the earlier axes are copied too, and so reach edges and corners.
kernel molecular_dynamics_workload::exchange(wave w) {
    const std::uint64_t number = cell_number_of(w);
    if (number >= grid_.ghosts(axis_)) co_return;
    const auto [from, to] = grid_.ghost(axis_, number);
    const auto count = co_await w.load(now_.count, from, mask::thread(0));
    co_await w.store(now_.count, to, count[0], mask::thread(0));
    const auto place = w.thread_ids() + from * slots, copy = w.thread_ids() + to * slots;
    const mask has = mask::first(count[0]);
    const auto [x, y, z] = co_await w.all(w.load(now_.position[0], place, has), w.load(now_.position[1], place, has),
                                          w.load(now_.position[2], place, has));
    co_await w.all(w.store(now_.position[0], copy, x, has), w.store(now_.position[1], copy, y, has),
                   w.store(now_.position[2], copy, z, has));
}

// A wavefront has a cell, and a thread an atom. The loop takes the atoms of the cells around one by one.
kernel molecular_dynamics_workload::sum_forces(wave w) {
    const std::uint64_t number = cell_number_of(w);
    if (number >= grid_.inner()) co_return;
    const std::uint32_t mine = grid_.inner_cell(number);
    const auto around = per_thread<std::uint32_t>::from([&](unsigned i) { return grid_.neighbour(mine, i); });
    const auto counts = min(co_await w.load(now_.count, around, mask::first(cell_grid::neighbours)), slots);
    const auto place = w.thread_ids() + mine * slots;
    const mask has = mask::first(counts[cell_grid::itself]);
    const auto [x, y, z] = co_await w.all(w.load(now_.position[0], place, has), w.load(now_.position[1], place, has),
                                          w.load(now_.position[2], place, has));
    std::array<per_thread<std::int64_t>, 3> force;
    for (unsigned n = 0; n < cell_grid::neighbours; ++n) {
        const auto other = w.thread_ids() + around[n] * slots;
        const mask there = mask::first(counts[n]);
        const auto [ox, oy, oz] =
            co_await w.all(w.load(now_.position[0], other, there), w.load(now_.position[1], other, there),
                           w.load(now_.position[2], other, there));
        w.work(30 * std::uint64_t{counts[n]});  // a shuffle of three, differences, the formula, three sums
        for (mask i = has; i.any(); i = i.without_lowest()) {
            const unsigned a = i.lowest();
            for (unsigned b = 0; b < counts[n]; ++b) {
                if (n == cell_grid::itself && a == b) continue;
                const auto f = physics_.force({x[a], y[a], z[a]}, {ox[b], oy[b], oz[b]});
                for (unsigned d = 0; d < 3; ++d) force[d][a] += f[d];
            }
        }
    }
    co_await w.all(w.store(force_[0], place, force[0], has), w.store(force_[1], place, force[1], has),
                   w.store(force_[2], place, force[2], has));
}

kernel molecular_dynamics_workload::advance(wave w) {
    const std::uint64_t number = cell_number_of(w);
    if (number >= grid_.inner()) co_return;
    const std::uint32_t mine = grid_.inner_cell(number);
    const auto count = co_await w.load(now_.count, mine, mask::thread(0));
    const mask has = mask::first(count[0]);
    const auto place = w.thread_ids() + mine * slots;
    std::array<per_thread<std::uint32_t>, 3> position;
    std::array<per_thread<std::int64_t>, 3> velocity;
    for (unsigned d = 0; d < 3; ++d) {
        const auto [p, v, f] = co_await w.all(w.load(now_.position[d], place, has),
                                              w.load(now_.velocity[d], place, has), w.load(force_[d], place, has));
        velocity[d] = v + map([this](std::int64_t each) { return physics_.kick(each); }, f);
        position[d] = p + map([](std::int64_t each) { return lennard_jones::drift(each); }, velocity[d]);
    }
    const auto name = co_await w.load(now_.name, place, has);
    const auto cell = map(
        [this](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
            return grid_.cell_at({x, y, z});
        },
        position[0], position[1], position[2]);
    w.work(40);
    const auto slot = co_await w.atomic_add(next_.count, cell, 1u, has);
    const mask fits = has && slot < slots;
    const auto to = cell * slots + slot;
    for (unsigned d = 0; d < 3; ++d)
        co_await w.all(w.store(next_.position[d], to, position[d], fits),
                       w.store(next_.velocity[d], to, velocity[d], fits));
    co_await w.store(next_.name, to, name, fits);
    const mask full = has && !fits;
    if (full.any()) co_await w.atomic_add(lost_, 0, full.count(), mask::thread(0));
}

std::string molecular_dynamics_workload::verify(device_memory& memory) {
    if (const auto lost = memory.read(lost_, 0); lost != 0) return fmt::format("{} atoms found their cell full", lost);
    auto atoms = physics_.crystal(spec_.seed);
    physics_.simulate(atoms, spec_.steps);

    const auto count = memory.read(now_.count);
    const auto name = memory.read(now_.name);
    std::vector<std::uint32_t> seen(atoms.size()), once(atoms.size(), 1);
    std::vector<std::size_t> place(atoms.size());
    for (std::uint64_t number = 0; number < grid_.inner(); ++number) {
        const std::uint32_t cell = grid_.inner_cell(number);
        for (std::uint32_t s = 0; s < std::min(count[cell], slots); ++s) {
            const std::size_t slot = std::size_t{cell} * slots + s;
            if (name[slot] >= atoms.size()) return fmt::format("slot {} has an atom {}", slot, name[slot]);
            ++seen[name[slot]];
            place[name[slot]] = slot;
        }
    }
    auto wrong = difference("copies of an atom", seen, once);
    for (unsigned d = 0; d < 3 && wrong.empty(); ++d) {
        const auto p = memory.read(now_.position[d]);
        const auto v = memory.read(now_.velocity[d]);
        std::vector<std::uint32_t> position(atoms.size()), right_position(atoms.size());
        std::vector<std::int64_t> velocity(atoms.size()), right_velocity(atoms.size());
        for (std::size_t a = 0; a < atoms.size(); ++a) {
            position[a] = p[place[a]];
            velocity[a] = v[place[a]];
            right_position[a] = atoms[a].position[d];
            right_velocity[a] = atoms[a].velocity[d];
        }
        wrong = difference("position", position, right_position);
        if (wrong.empty()) wrong = difference("velocity", velocity, right_velocity);
    }
    return wrong;
}

}  // namespace

workload_entry molecular_dynamics() {
    return entry_of<molecular_dynamics_workload>("molecular_dynamics", "atoms in cells: exchange, forces, motion",
                                                 "CoMD, miniMD, cell-list molecular dynamics");
}

}  // namespace contraflow::workloads
