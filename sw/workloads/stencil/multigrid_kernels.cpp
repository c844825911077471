// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil/multigrid_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "workloads/stencil/column.h"

namespace contraflow::workloads {

using namespace gpu;

namespace {

using indices = per_thread<std::uint64_t>;

// On the faces u is 0: the value beyond a face is the cell's value with the opposite sign.
constexpr double mirrored = -1;

indices cells_from(wave w, std::uint64_t x) { return x + indices(w.thread_ids()); }

}  // namespace

double multigrid_kernels::right_hand_side(const box& b, std::uint64_t i) {
    const double pi_h = std::numbers::pi / static_cast<double>(b.nx);
    const auto part = [&](std::uint64_t k) { return std::sin(pi_h * (static_cast<double>(k) + 0.5)); };
    const double sides = part(i % b.nx) * part(i / b.nx / b.ny);
    const double f = b.dimensions() * std::numbers::pi * std::numbers::pi * sides;
    return b.dimensions() == 2 ? f : f * part(i / b.nx % b.ny);
}

task<> multigrid_kernels::initialise(wave w, column_share mine, multigrid_level l) const {
    const auto all = l.own_columns(w.width());
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride) {
        const auto place = all[n];
        const auto x = cells_from(w, place.x);
        const auto in = w.only(x < l.cells.nx);
        for (std::uint64_t z = place.z; z < place.end; ++z) {
            const auto i = x + l.cells.at(0, place.y, z);
            co_await w.store(l.f, i, map([&](std::uint64_t k) { return right_hand_side(l.cells, k); }, i));
        }
    }
}

task<> multigrid_kernels::first_sweep(wave w, column_share mine, multigrid_level l) const {
    const auto all = l.own_columns(w.width());
    const double factor = spec_.damping() * l.h_squared() / (2 * l.cells.dimensions());
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride) {
        const auto place = all[n];
        const auto x = cells_from(w, place.x);
        const auto in = w.only(x < l.cells.nx);
        static_assert(columns::usual_depth == 4);
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
    const auto all = l.own_columns(w.width());
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
    const auto all = fine.columns_down(coarse, w.width());
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride)
        co_await restrict_column(w, all[n], fine, coarse);
}

task<> multigrid_kernels::prolong(wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const {
    const auto all = fine.columns_up(coarse, w.width());
    for (std::uint64_t n = mine.first; n < all.count(); n += mine.stride)
        co_await prolong_column(w, all[n], fine, coarse);
}

// The residual's mean over the 4 or 8 cells of each coarse one.
task<> multigrid_kernels::restrict_column(wave w, column_place place, multigrid_level fine,
                                          multigrid_level coarse) const {
    const auto in = w.only(cells_from(w, place.x) < fine.cells.nx);
    const unsigned d = fine.cells.dimensions(), lines = d == 3 ? 2 : 1;
    const double diagonal = 2 * d, inverse = 1 / fine.h_squared(), share = d == 3 ? 1.0 / 8 : 1.0 / 4;
    const auto column_at = [&](unsigned line) {
        return column(w, fine.cells, fine.u, mirrored, {place.x, lines * place.y + line, 2 * place.z, 2 * place.end});
    };
    std::array<column, 2> parts{column_at(0), column_at(lines - 1)};
    for (unsigned line = 0; line < lines; ++line) co_await parts[line].enter();
    const auto coarse_x = cells_from(w, place.x / 2);
    const auto store_in = mask::first(w.width() / 2) & (coarse_x < coarse.cells.nx);
    for (std::uint64_t z = place.z; z < place.end; ++z) {
        per_thread<double> sum;
        for (unsigned part = 0; part < 2 * lines; ++part) {
            column& c = parts[part % lines];
            const auto f = co_await c.step(fine.f);
            sum += f - inverse * (diagonal * c.centre() - c.neighbours());
            c.go_up();
            w.work(2 * d + 4);
        }
        const auto mean = per_thread<double>::from([&](unsigned i) {
            const unsigned k = 2 * i % w.width();
            return share * (sum[k] + sum[k + 1]);
        });
        co_await w.store(coarse.f, coarse_x + coarse.cells.at(0, place.y, z), mean, store_in);
    }
}

namespace {

// The cells of a coarse line around a wavefront's cells of a fine line: half as many and one more on either side, in
// the first threads: 0 to 17 of 32.
class coarse_cells {
public:
    coarse_cells(wave w, const box& coarse, column_place fine)
        : box_(coarse),
          y_(static_cast<std::int64_t>(fine.y)),
          x_(cells_from(w, fine.x / 2) - 1),
          left_beyond_(fine.x == 0),
          beyond_(coarse.nx - fine.x / 2 + 1),
          last_(w.width() / 2 + 1),
          in_(mask::first(last_ + 1) & (x_ < coarse.nx)) {}

    // The values of the line `dy` lines further, in plane z. Beyond a face they are mirrored.
    indices at(std::int64_t dy, std::int64_t z) const {
        return x_ + box_.at(0, inside(y_ + dy, box_.ny), inside(z, box_.nz));
    }
    mask where() const { return in_; }

    // The values at the centres of the fine cells, from the loaded ones.
    per_thread<double> between(per_thread<double> v, std::int64_t dy, std::int64_t z) const {
        if (left_beyond_) v[0] = mirrored * v[1];
        if (beyond_ <= last_) v[static_cast<unsigned>(beyond_)] = mirrored * v[static_cast<unsigned>(beyond_ - 1)];
        const double sign = (inside(y_ + dy, box_.ny) == static_cast<std::uint64_t>(y_ + dy) ? 1 : mirrored) *
                            (inside(z, box_.nz) == static_cast<std::uint64_t>(z) ? 1 : mirrored);
        return per_thread<double>::from([&](unsigned i) {
            const unsigned k = i / 2 + 1;
            return sign * (0.75 * v[k] + 0.25 * (i % 2 == 0 ? v[k - 1] : v[k + 1]));
        });
    }

private:
    static std::uint64_t inside(std::int64_t k, std::uint64_t n) {
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(k, 0, static_cast<std::int64_t>(n) - 1));
    }

    box box_;
    std::int64_t y_;
    indices x_;
    bool left_beyond_;
    std::uint64_t beyond_;  // the thread of the first cell beyond the line's end
    unsigned last_;         // the last of the threads
    mask in_;
};

// One coarse plane at the x and y of the fine cells, by fine line; one line of two dimensions stands for itself.
using plane_values = std::array<per_thread<double>, 2>;

}  // namespace

// Linear in each direction between the centres of coarse cells.
task<> multigrid_kernels::prolong_column(wave w, column_place place, multigrid_level fine,
                                         multigrid_level coarse) const {
    const coarse_cells from(w, coarse.cells, place);
    const auto x = cells_from(w, place.x);
    const auto fine_in = x < fine.cells.nx;
    const auto fine_at = [&](unsigned line, std::uint64_t z) {
        return x + fine.cells.at(0, (fine.cells.dimensions() == 3 ? 2 : 1) * place.y + line, z);
    };
    std::array<plane_values, 3> planes;  // below, here, above
    const auto update = [&](const plane_values& lines) { planes = {planes[1], planes[2], lines}; };
    const auto corrected = [&](const per_thread<double>& u, unsigned line, unsigned plane) {
        return u + 0.75 * planes[1][line] + 0.25 * planes[2 * plane][line];
    };
    // The loop begins two planes early; nothing is corrected in these.
    for (auto z = static_cast<std::int64_t>(place.z) - 2; z < static_cast<std::int64_t>(place.end); ++z) {
        const auto above = z + 1;
        const auto here = static_cast<std::uint64_t>(z);
        const auto in = z < static_cast<std::int64_t>(place.z) ? mask() : fine_in;
        if (fine.cells.dimensions() == 2) {
            const auto i0 = fine_at(0, 2 * here), i1 = fine_at(0, 2 * here + 1);
            const auto [c, u0, u1] = co_await w.all(w.load(coarse.u, from.at(0, above), from.where()),
                                                    w.load(fine.u, i0, in), w.load(fine.u, i1, in));
            const auto line = from.between(c, 0, above);
            update({line, line});
            w.work(6);
            co_await w.all(w.store(fine.u, i0, corrected(u0, 0, 0), in), w.store(fine.u, i1, corrected(u1, 0, 1), in));
            continue;
        }
        const auto i0 = fine_at(0, 2 * here), i1 = fine_at(0, 2 * here + 1), i2 = fine_at(1, 2 * here),
                   i3 = fine_at(1, 2 * here + 1);
        const auto [before, middle, behind, u0, u1, u2, u3] = co_await w.all(
            w.load(coarse.u, from.at(-1, above), from.where()), w.load(coarse.u, from.at(0, above), from.where()),
            w.load(coarse.u, from.at(1, above), from.where()), w.load(fine.u, i0, in), w.load(fine.u, i1, in),
            w.load(fine.u, i2, in), w.load(fine.u, i3, in));
        const auto centre = 0.75 * from.between(middle, 0, above);
        update({centre + 0.25 * from.between(before, -1, above), centre + 0.25 * from.between(behind, 1, above)});
        w.work(18);
        co_await w.all(w.store(fine.u, i0, corrected(u0, 0, 0), in), w.store(fine.u, i1, corrected(u1, 0, 1), in),
                       w.store(fine.u, i2, corrected(u2, 1, 0), in), w.store(fine.u, i3, corrected(u3, 1, 1), in));
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
            per_thread<double> sum;
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
