// SPDX-License-Identifier: Apache-2.0
// A cell of a line for each thread with their four or six neighbours, plane by plane. A plane's cells are loaded once,
// as the upper neighbours of the plane below. Neighbours in the line come from the neighbouring threads and, at the
// ends, from memory.
#pragma once

#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"
#include "workloads/physics/box.h"

namespace contraflow::workloads {

class column {
public:
    // Outside of the box a neighbour's value is `ghost` times that of the cell itself: -1 for a boundary face of value
    // 0, 1 for an insulated face, 0 for a value of 0 beyond. All threads that have a cell must be active.
    column(gpu::wave w, box b, gpu::array<double> cells, double ghost, column_place p);

    // Loads the first plane's cells and those below; before the first step.
    gpu::task<> enter();
    // Loads the missing neighbours of this plane's cells, and the same cells of `other`. Returns the latter.
    gpu::task<gpu::per_thread<double>> step(gpu::array<double> other);
    void go_up();

    bool done() const { return z_ == place_.end; }
    gpu::per_thread<std::uint64_t> here() const { return x_ + line_of(place_.y, z_); }
    const gpu::per_thread<double>& centre() const { return centre_; }
    const gpu::per_thread<double>& neighbours() const { return neighbours_; }  // their sum, after step()

private:
    std::uint64_t line_of(std::uint64_t y, std::uint64_t z) const { return box_.at(0, y, z); }
    void add_sides(const gpu::per_thread<double>& ends);

    gpu::wave wave_;
    box box_;
    gpu::array<double> cells_;
    double ghost_;
    column_place place_;
    std::uint64_t z_;
    gpu::per_thread<std::uint64_t> x_;
    gpu::per_thread<std::uint64_t> end_x_;  // the cell next to the first and the last thread
    gpu::mask ends_;                        // those of them that are in the box
    gpu::per_thread<double> below_, centre_, above_, neighbours_;
};

}  // namespace contraflow::workloads
