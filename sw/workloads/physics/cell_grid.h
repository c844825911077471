// SPDX-License-Identifier: Apache-2.0
// The cells of a periodic cubic box, with a layer of ghost cells around them; x runs fastest, ghosts included.
// Positions are in 2^-32 of the box, so that they wrap by themselves.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace contraflow::workloads {

class cell_grid {
public:
    static constexpr unsigned neighbours = 27;  // with the cell itself
    static constexpr unsigned itself = 13;

    explicit cell_grid(std::uint32_t cells_a_side) : cells_(cells_a_side), width_(cells_a_side + 2) {}

    std::uint32_t all() const { return width_ * width_ * width_; }
    std::uint64_t inner() const { return std::uint64_t{cells_} * cells_ * cells_; }
    // The number-th cell among those that are not ghosts.
    std::uint32_t inner_cell(std::uint64_t number) const {
        const auto x = static_cast<std::uint32_t>(number % cells_);
        const auto y = static_cast<std::uint32_t>(number / cells_ % cells_);
        const auto z = static_cast<std::uint32_t>(number / cells_ / cells_);
        return cell(x + 1, y + 1, z + 1);
    }
    std::uint32_t cell_at(const std::array<std::uint32_t, 3>& position) const {
        return cell(along(position[0]) + 1, along(position[1]) + 1, along(position[2]) + 1);
    }
    // The i-th of the 27 in a cube around an inner cell.
    std::uint32_t neighbour(std::uint32_t inner, unsigned i) const {
        return inner + i % 3 + (i / 3 % 3) * width_ + (i / 9) * width_ * width_ - (1 + width_ + width_ * width_);
    }

    // Ghosts beyond both faces of an axis; along the earlier axes they include the ghosts of these.
    std::uint64_t ghosts(unsigned axis) const { return 2 * wide(axis, 0) * wide(axis, 1); }
    // The cell that is copied, and the number-th ghost, which is its copy.
    std::pair<std::uint32_t, std::uint32_t> ghost(unsigned axis, std::uint64_t number) const {
        const bool upper = number % 2 != 0;
        const std::array<std::uint32_t, 2> off{wide(axis, 0) == width_ ? 0u : 1u, wide(axis, 1) == width_ ? 0u : 1u};
        const auto u = static_cast<std::uint32_t>(number / 2 % wide(axis, 0)) + off[0];
        const auto v = static_cast<std::uint32_t>(number / 2 / wide(axis, 0)) + off[1];
        const auto at = [&](std::uint32_t w) {
            return axis == 0 ? cell(w, u, v) : axis == 1 ? cell(u, w, v) : cell(u, v, w);
        };
        return upper ? std::pair(at(1), at(cells_ + 1)) : std::pair(at(cells_), at(0));
    }

private:
    std::uint32_t cell(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return (z * width_ + y) * width_ + x;
    }
    std::uint32_t along(std::uint32_t position) const {
        return static_cast<std::uint32_t>(std::uint64_t{position} * cells_ >> 32);
    }
    // The numbers of cells that the exchange of an axis covers along the two other axes.
    std::uint64_t wide(unsigned axis, unsigned which) const { return which < axis ? width_ : cells_; }

    std::uint32_t cells_;
    std::uint32_t width_;  // with ghosts
};

}  // namespace contraflow::workloads
