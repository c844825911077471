// SPDX-License-Identifier: Apache-2.0
#include "workloads/multigrid_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "workloads/column.h"

namespace contraflow::workloads {

using namespace gpu;

namespace {

using indices = lanes<std::uint64_t>;

// On the faces u is 0: beyond them it is taken as the cell's value mirrored.
constexpr double mirrored = -1;

indices cells_from(wave w, std::uint64_t x) { return x + indices(w.lane_ids()); }

}  // namespace

double multigrid_kernels::right_hand_side(const box& b, std::uint64_t i) {
    const double pi_h = std::numbers::pi / static_cast<double>(b.nx);
    const auto part = [&](std::uint64_t k) { return std::sin(pi_h * (static_cast<double>(k) + 0.5)); };
    const double sides = part(i % b.nx) * part(i / b.nx / b.ny);
    const double f = b.dimensions() * std::numbers::pi * std::numbers::pi * sides;
    return b.dimensions() == 2 ? f : f * part(i / b.nx % b.ny);
}

task<> multigrid_kernels::initialise(wave w, column_share mine, multigrid_level l) const {
    const auto all = l.columns_of(l.cells);
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride) {
        const auto place = all[n];
        const auto x = cells_from(w, place.x);
        const auto in = w.only(x < l.cells.nx);
        for (std::uint64_t z = place.z; z < place.end; ++z) {
            const auto i = x + l.cells.at(0, place.y, z);
            const auto f = map([&](std::uint64_t k) { return right_hand_side(l.cells, k); }, i);
            co_await w.all(w.store(l.u, i, 0.0), w.store(l.next, i, 0.0), w.store(l.f, i, f));
        }
    }
}

task<> multigrid_kernels::first_sweep(wave w, column_share mine, multigrid_level l) const {
    const auto all = l.columns_of(l.cells);
    const double factor = spec_.damping() * l.h_squared() / (2 * l.cells.dimensions());
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride) {
        const auto place = all[n];
        const auto x = cells_from(w, place.x);
        const auto in = w.only(x < l.cells.nx);
        static_assert(columns::deepest == 4);
        const auto there = [&](unsigned k) { return place.z + k < place.end ? mask::everything() : mask(); };
        const auto line = [&](unsigned k) { return x + l.cells.at(0, place.y, place.z + k); };
        const auto i0 = line(0), i1 = line(1), i2 = line(2), i3 = line(3);
        const auto [f0, f1, f2, f3] = co_await w.all(w.load(l.f, i0), w.load(l.f, i1, there(1)),
                                                     w.load(l.f, i2, there(2)), w.load(l.f, i3, there(3)));
        co_await w.all(w.store(l.u, i0, factor * f0), w.store(l.u, i1, factor * f1, there(1)),
                       w.store(l.u, i2, factor * f2, there(2)), w.store(l.u, i3, factor * f3, there(3)));
    }
}

task<> multigrid_kernels::sweep(wave w, column_share mine, multigrid_level l) const {
    const auto all = l.columns_of(l.cells);
    const double diagonal = 2 * l.cells.dimensions(), factor = spec_.damping() / diagonal;
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride) {
        const auto place = all[n];
        const auto in = w.only(cells_from(w, place.x) < l.cells.nx);
        column c(w, l.cells, l.u, mirrored, place);
        for (co_await c.enter(); !c.done(); c.go_up()) {
            const auto f = co_await c.step(l.f);
            const auto residual = l.h_squared() * f - (diagonal * c.centre() - c.neighbours());
            w.work(2 * l.cells.dimensions() + 4);
            co_await w.store(l.next, c.here(), c.centre() + factor * residual);
        }
    }
}

task<> multigrid_kernels::restrict_residual(wave w, column_share mine, multigrid_level fine,
                                            multigrid_level coarse) const {
    const auto all = fine.columns_of(coarse.cells);
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride)
        co_await restrict_column(w, all[n], fine, coarse);
}

task<> multigrid_kernels::prolong(wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const {
    const auto all = fine.columns_of(coarse.cells);
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride)
        co_await prolong_column(w, all[n], fine, coarse);
}

// The residual's mean over the 4 or 8 cells of each coarse one.
task<> multigrid_kernels::restrict_column(wave w, column_place place, multigrid_level fine,
                                          multigrid_level coarse) const {
    const auto coarse_x = cells_from(w, place.x);
    const unsigned d = fine.cells.dimensions(), lines = d == 3 ? 2 : 1;
    const double diagonal = 2 * d, inverse = 1 / fine.h_squared(), share = d == 3 ? 1.0 / 8 : 1.0 / 4;
    const auto column_at = [&](unsigned half, unsigned line) {
        return column(w, fine.cells, fine.u, mirrored,
                      {2 * place.x + half * wave_width, d == 3 ? 2 * place.y + line : 0, 2 * place.z, 2 * place.end});
    };
    std::array<column, 4> parts{column_at(0, 0), column_at(1, 0), column_at(0, 1), column_at(1, 1)};
    const auto half_of = [&](unsigned p) { return cells_from(w, 2 * place.x + p % 2 * wave_width) < fine.cells.nx; };
    for (unsigned p = 0; p < 2 * lines; ++p) {
        const auto in = w.only(half_of(p));
        if (in) co_await parts[p].enter();
    }
    for (std::uint64_t z = place.z; z < place.end; ++z) {
        std::array<lanes<double>, 2> sum;  // of the fine cells, by half of the fine line
        for (unsigned plane = 0; plane < 2; ++plane) {
            for (unsigned p = 0; p < 2 * lines; ++p) {
                const auto in = w.only(half_of(p));
                if (!in) continue;
                column& c = parts[p];
                const auto f = co_await c.step(fine.f);
                sum[p % 2] += f - inverse * (diagonal * c.centre() - c.neighbours());
                c.go_up();
                w.work(2 * d + 4);
            }
        }
        const auto mean = lanes<double>::from([&](unsigned i) {
            const auto& s = sum[i / (wave_width / 2)];
            const unsigned k = 2 * i % wave_width;
            return share * (s[k] + s[k + 1]);
        });
        co_await w.store(coarse.f, coarse_x + coarse.cells.at(0, place.y, z), mean, coarse_x < coarse.cells.nx);
    }
}

namespace {

// Coarse values between the centres of coarse cells: at those of the fine cells left and right of them.
struct pair_of_lanes {
    lanes<double> left, right;
    friend pair_of_lanes operator+(const pair_of_lanes& a, const pair_of_lanes& b) {
        return {a.left + b.left, a.right + b.right};
    }
    friend pair_of_lanes operator*(double s, const pair_of_lanes& a) { return {s * a.left, s * a.right}; }
};

// Left and right by turns, from lane `first` on: in the order of the fine cells.
lanes<double> alternating(const pair_of_lanes& p, unsigned first) {
    return lanes<double>::from([&](unsigned i) { return (i % 2 == 0 ? p.left : p.right)[first + i / 2]; });
}

// Of the line (y, z) of the box, which may be the first one beyond a face; then what is within is mirrored.
task<pair_of_lanes> between(wave w, multigrid_level l, std::uint64_t x0, std::int64_t y, std::int64_t z) {
    const auto inside = [](std::int64_t k, std::uint64_t n) {
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(k, 0, static_cast<std::int64_t>(n) - 1));
    };
    const std::uint64_t line = l.cells.at(0, inside(y, l.cells.ny), inside(z, l.cells.nz));
    const auto x = cells_from(w, x0);
    auto beside = x + 1;
    beside[0] = x0 - 1;
    const auto ends = (x0 > 0 ? mask::lane(0) : mask()) | (mask::lane(wave_width - 1) & (x + 1 < l.cells.nx));
    const auto [c, end] = co_await w.all(w.load(l.u, x + line), w.load(l.u, beside + line, ends));
    auto left = shuffle_up(c, 1), right = shuffle_down(c, 1);
    left.assign(mask::lane(0), x0 > 0 ? end : mirrored * c);
    right.assign(mask::lane(wave_width - 1), end);
    right.assign(x + 1 == l.cells.nx, mirrored * c);
    const bool beyond_y = y < 0 || static_cast<std::uint64_t>(y) >= l.cells.ny;
    const bool beyond_z = z < 0 || static_cast<std::uint64_t>(z) >= l.cells.nz;
    const double sign = (beyond_y ? mirrored : 1) * (beyond_z ? mirrored : 1);
    co_return pair_of_lanes{sign * (0.75 * c + 0.25 * left), sign * (0.75 * c + 0.25 * right)};
}

// The lines of one coarse plane that the fine lines within line y lie between: interpolated in y too.
task<std::array<pair_of_lanes, 2>> between_lines(wave w, multigrid_level l, column_place p, std::int64_t z) {
    const auto y = static_cast<std::int64_t>(p.y);
    const auto middle = co_await between(w, l, p.x, y, z);
    if (l.cells.dimensions() == 2) co_return std::array<pair_of_lanes, 2>{middle, middle};
    const auto before = co_await between(w, l, p.x, y - 1, z);
    const auto behind = co_await between(w, l, p.x, y + 1, z);
    co_return std::array<pair_of_lanes, 2>{0.75 * middle + 0.25 * before, 0.75 * middle + 0.25 * behind};
}

}  // namespace

// Linear in each direction between the centres of coarse cells.
task<> multigrid_kernels::prolong_column(wave w, column_place place, multigrid_level fine,
                                         multigrid_level coarse) const {
    const auto in_coarse = cells_from(w, place.x) < coarse.cells.nx;
    const unsigned lines = fine.cells.dimensions() == 3 ? 2 : 1;
    std::array<std::array<pair_of_lanes, 2>, 3> planes;  // below, here, above; each by fine line
    {
        const auto in = w.only(in_coarse);
        planes[1] = co_await between_lines(w, coarse, place, static_cast<std::int64_t>(place.z) - 1);
        planes[2] = co_await between_lines(w, coarse, place, static_cast<std::int64_t>(place.z));
    }
    for (std::uint64_t z = place.z; z < place.end; ++z) {
        planes[0] = planes[1];
        planes[1] = planes[2];
        {
            const auto in = w.only(in_coarse);
            planes[2] = co_await between_lines(w, coarse, place, static_cast<std::int64_t>(z) + 1);
        }
        for (unsigned line = 0; line < lines; ++line) {
            const auto below = 0.75 * planes[1][line] + 0.25 * planes[0][line];
            const auto above = 0.75 * planes[1][line] + 0.25 * planes[2][line];
            const auto i = cells_from(w, 2 * place.x) + fine.cells.at(0, lines * place.y + line, 2 * z);
            const auto far = i + wave_width;
            const std::uint64_t up = fine.cells.nx * fine.cells.ny;
            const auto near_in = cells_from(w, 2 * place.x) < fine.cells.nx;
            const auto far_in = cells_from(w, 2 * place.x + wave_width) < fine.cells.nx;
            const auto [u0, u1, u2, u3] =
                co_await w.all(w.load(fine.u, i, near_in), w.load(fine.u, far, far_in), w.load(fine.u, i + up, near_in),
                               w.load(fine.u, far + up, far_in));
            w.work(12);
            co_await w.all(w.store(fine.u, i, u0 + alternating(below, 0), near_in),
                           w.store(fine.u, far, u1 + alternating(below, wave_width / 2), far_in),
                           w.store(fine.u, i + up, u2 + alternating(above, 0), near_in),
                           w.store(fine.u, far + up, u3 + alternating(above, wave_width / 2), far_in));
        }
    }
}

kernel multigrid_kernels::small_levels(wave w, const std::vector<multigrid_level>& levels, std::size_t k) const {
    const auto mine = column_share::of_cta(w);
    std::vector<multigrid_level> own(levels.begin() + static_cast<std::ptrdiff_t>(k), levels.end());
    const std::size_t coarsest = own.size() - 1;
    for (std::size_t i = 0; i < coarsest; ++i) {
        co_await first_sweep(w, mine, own[i]);
        co_await w.barrier();
        for (unsigned s = 1; s < spec_.pre; ++s) {
            co_await sweep(w, mine, own[i]);
            std::swap(own[i].u, own[i].next);
            co_await w.barrier();
        }
        co_await restrict_residual(w, mine, own[i], own[i + 1]);
        co_await w.barrier();
    }
    co_await solve_coarsest(w, own[coarsest]);
    co_await w.barrier();
    for (std::size_t i = coarsest; i-- > 0;) {
        co_await prolong(w, mine, own[i], own[i + 1]);
        co_await w.barrier();
        for (unsigned s = 0; s < spec_.post; ++s) {
            co_await sweep(w, mine, own[i]);
            std::swap(own[i].u, own[i].next);
            co_await w.barrier();
        }
    }
}

task<> multigrid_kernels::solve_coarsest(wave w, multigrid_level l) const {
    const box b = l.cells;
    const std::uint64_t n = b.cells();
    const auto scratchpad = w.shared<double>(scratchpad_words(l));
    const auto f = scratchpad.subspan(0, n);
    auto u = scratchpad.subspan(n, n), next = scratchpad.subspan(2 * n, n);
    const std::uint64_t block = w.block().count();
    for (std::uint64_t first = 0; first < n; first += block) {
        const auto i = first + w.local_ids();
        const auto in = w.only(i < n);
        if (in) w.write(f, i, co_await w.load(l.f, i));
    }
    const double diagonal = 2 * b.dimensions(), factor = spec_.damping() / diagonal;
    for (unsigned s = 0; s < spec_.bottom; ++s) {
        co_await w.barrier();
        for (std::uint64_t first = 0; first < n; first += block) {
            const auto i = first + w.local_ids();
            const auto in = w.only(i < n);
            if (!in) continue;
            const auto centre = w.read(u, i);
            lanes<double> sum;
            const auto add = [&](mask there, const indices& at) {
                const auto some = w.only(there);
                sum += select(there, w.read(u, at), mirrored * centre);
            };
            const auto x = i % b.nx, y = i / b.nx % b.ny, z = i / b.nx / b.ny;
            add(x > 0, i - 1);
            add(x + 1 < b.nx, i + 1);
            if (b.dimensions() == 3) {
                add(y > 0, i - b.nx);
                add(y + 1 < b.ny, i + b.nx);
            }
            add(z > 0, i - b.nx * b.ny);
            add(z + 1 < b.nz, i + b.nx * b.ny);
            const auto residual = l.h_squared() * w.read(f, i) - (diagonal * centre - sum);
            w.write(next, i, centre + factor * residual);
        }
        std::swap(u, next);
    }
    for (std::uint64_t first = 0; first < n; first += block) {
        const auto i = first + w.local_ids();
        const auto in = w.only(i < n);
        if (in) co_await w.store(l.u, i, w.read(u, i));
    }
}

}  // namespace contraflow::workloads
