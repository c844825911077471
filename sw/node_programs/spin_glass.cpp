// SPDX-License-Identifier: Apache-2.0
#include "node_programs/spin_glass.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "node_programs/messages.h"
#include "node_programs/spin_lattice.h"

namespace contraflow::node_programs {

namespace {

class spin_glass final : public node_program_if {
public:
    spin_glass(const spin_glass_spec& s, unsigned ranks) : spec_(s), ranks_(ranks), windows_(ranks) {
        if (ranks == 0 || s.side % 2 != 0 || s.side % ranks != 0 || s.side / ranks < 2)
            throw std::invalid_argument(
                fmt::format("a lattice of side {} cannot be cut for {} ranks: the side is even and a multiple of the "
                            "ranks, and each has two planes at least",
                            s.side, ranks));
        planes_ = s.side / ranks;
    }

    core::bytes window() const override { return {spin_lattice::bytes(spec_.side, planes_)}; }
    void prepare(unsigned rank, std::span<std::uint8_t> window) override {
        windows_.at(rank) = window;
        slab(rank).fill();
    }
    gpu::host_task run(const node_view& node) override;
    std::string verify() const override;
    std::string operation() const override { return "spin updates"; }
    program_counts counts() const override { return counts_; }

private:
    spin_lattice slab(unsigned rank) const { return {windows_[rank], spec_.side, rank * planes_, planes_, spec_.seed}; }
    core::sim_time time_of(std::uint32_t planes) const {
        return {spec_.spin_time.ps * (std::uint64_t{planes} * spec_.side * spec_.side / 2)};
    }

    const spin_glass_spec spec_;
    const unsigned ranks_;
    std::uint32_t planes_ = 0;
    std::vector<std::span<std::uint8_t>> windows_;
    program_counts counts_;
};

// A neighbour sends a plane again two half-sweeps later, and before that it waits for the plane that this node has sent
// after using the first one: one buffer per parity is enough.
gpu::host_task spin_glass::run(const node_view& node) {
    messages m(node, counts_);
    spin_lattice own = slab(node.rank);
    const int last = static_cast<int>(planes_) - 1;
    const unsigned below = (node.rank + ranks_ - 1) % ranks_, above = (node.rank + 1) % ranks_;
    const auto plane = static_cast<std::uint32_t>(spin_lattice::plane_bytes(spec_.side));
    for (unsigned half = 0; half < 2 * spec_.sweeps; ++half) {
        const unsigned parity = half % 2;
        const auto tag_down = tag_of(2 * half), tag_up = tag_of(2 * half + 1);
        co_await node.process.work(time_of(2));
        own.update(parity, 0, 1);
        own.update(parity, last, last + 1);
        co_await m.put(below, own.offset(parity, 0), own.offset(parity, last + 1), plane, tag_down);
        co_await m.put(above, own.offset(parity, last), own.offset(parity, -1), plane, tag_up);
        co_await node.process.work(time_of(planes_ - 2));
        own.update(parity, 1, last);
        counts_.operations += std::uint64_t{planes_} * spec_.side * spec_.side / 2;
        co_await m.all_sent();
        co_await m.arrived(above, tag_down, own.offset(parity, last + 1), plane);
        co_await m.arrived(below, tag_up, own.offset(parity, -1), plane);
    }
}

std::string spin_glass::verify() const {
    std::vector<std::uint8_t> memory(spin_lattice::bytes(spec_.side, spec_.side));
    spin_lattice all(memory, spec_.side, 0, spec_.side, spec_.seed);
    all.fill();
    const int top = static_cast<int>(spec_.side);
    const std::uint64_t plane = spin_lattice::plane_bytes(spec_.side);
    const double before = all.energy();
    for (unsigned half = 0; half < 2 * spec_.sweeps; ++half) {
        const unsigned parity = half % 2;
        all.update(parity, 0, top);
        std::memcpy(&memory[all.offset(parity, -1)], &memory[all.offset(parity, top - 1)], plane);
        std::memcpy(&memory[all.offset(parity, top)], &memory[all.offset(parity, 0)], plane);
    }
    // Over-relaxation keeps the energy; single precision loses a little.
    if (std::abs(all.energy() - before) > 1e-4 * spec_.side * spec_.side * spec_.side)
        return fmt::format("the energy went from {} to {}", before, all.energy());
    for (unsigned rank = 0; rank < ranks_; ++rank) {
        const spin_lattice own = slab(rank);
        for (unsigned parity = 0; parity < 2; ++parity)
            for (int z = 0; z < static_cast<int>(planes_); ++z) {
                const int z_of_all = static_cast<int>(rank * planes_) + z;
                if (std::memcmp(&windows_[rank][own.offset(parity, z)], &memory[all.offset(parity, z_of_all)], plane) !=
                    0)
                    return fmt::format("plane {} of rank {} is not that of the sequential run", z, rank);
            }
    }
    return {};
}

}  // namespace

void spin_glass_spec::describe(config::fields<spin_glass_spec>& f) {
    f("side", &spin_glass_spec::side)
        .in(2, 512)
        .unit("spins")
        .text("spins along each edge of the lattice, an even number");
    f("sweeps", &spin_glass_spec::sweeps).in(1, 10000).text("updates of every spin");
    f("spin_time", &spin_glass_spec::spin_time).text("time of a GPU to update one spin; assumed");
    f("seed", &spin_glass_spec::seed).text("seed of spins and couplings");
}

std::unique_ptr<node_program_if> make_spin_glass(const spin_glass_spec& s, unsigned ranks) {
    return std::make_unique<spin_glass>(s, ranks);
}

}  // namespace contraflow::node_programs
