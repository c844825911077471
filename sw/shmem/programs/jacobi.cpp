// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/jacobi.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

namespace contraflow::shmem {
namespace {

constexpr double sum_of(double up, double down, double left, double right) { return (up + down) + (left + right); }

}  // namespace

void jacobi::spec::describe(config::fields<spec>& f) {
    f("columns", &spec::columns).in(3, 65536).text("of the grid");
    f("rows", &spec::rows).in(2, 65536).text("of the grid, in each PE");
    f("steps", &spec::steps)
        .in(3, 100'000)
        .text("iterations; the first two, in which the grid comes into the second level, are not measured");
    f("workgroups", &spec::workgroups).in(1, 1024).text("of a PE; each has a row at least");
    f("threads", &spec::threads).in(1, 1024).text("of a workgroup");
    f("cached_halos", &spec::cached_halos)
        .text("rows that travel are in cached pages, which only ends of kernels keep right: not with gio and ikn");
}

jacobi::jacobi(const spec& s) : spec_(s) {
    if (s.workgroups > s.rows)
        throw std::invalid_argument(
            fmt::format("jacobi: {} workgroups share {} rows, and each needs one", s.workgroups, s.rows));
}

// Values with all digits in use, so that a wrong neighbour shows.
std::vector<double> jacobi::initial(unsigned pe) const {
    std::vector<double> grid(std::size_t{spec_.rows} * spec_.columns);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const std::uint64_t place = pe * grid.size() + i;
        grid[i] = static_cast<double>(place * 0x9e37'79b9'7f4a'7c15 >> 11) * 0x1p-53;
    }
    return grid;
}

void jacobi::prepare(job& j) {
    memory_.resize(j.pes());
    for (unsigned pe = 0; pe < j.pes(); ++pe) {
        memory& m = memory_[pe];
        using type = contraflow::memory::memory_type;
        const type pages = spec_.cached_halos ? type::cached : type::uncached;
        m.out = j[pe].malloc<double>(std::size_t{4} * spec_.columns, pages);
        m.in = j[pe].malloc<double>(std::size_t{4} * spec_.columns, pages);
        const auto grid = initial(pe);
        for (auto& g : m.grid) g = j[pe].memory().upload(grid);
    }
    for (unsigned pe = 0; pe < j.pes(); ++pe) {
        const auto last = static_cast<std::ptrdiff_t>(std::size_t{spec_.rows - 1} * spec_.columns);
        if (has(pe, above)) {
            const auto other = initial(pe - 1);
            j[pe].memory().write(halo(memory_[pe].in, 0, above),
                                 std::vector<double>(other.begin() + last, other.end()));
        }
        if (has(pe, below)) {
            const auto other = initial(pe + 1);
            j[pe].memory().write(halo(memory_[pe].in, 0, below),
                                 std::vector<double>(other.begin(), other.begin() + spec_.columns));
        }
    }
}

// A wavefront's part of a row, and the elements to the left and to the right of each.
jacobi::loads jacobi::load(gpu::wave w, row r, std::uint64_t at, bool own) const {
    const auto c = w.thread_ids() + at;
    const auto threads = w.thread_ids();
    const unsigned last = w.width() - 1;
    const auto first = threads == 0u && c != 0u, end = threads == last && c < spec_.columns - 1u;
    const auto beside = gpu::select(threads == 0u, c - 1, c + 1);  // of the outermost threads
    const auto of = [&](const auto& place, gpu::mask in) {
        return own ? w.load(r, place, in) : w.load_uncached(r, place, in);
    };
    const auto here = of(c, c < spec_.columns);
    return {here, of(beside, first || end)};
}

gpu::task<jacobi::segment> jacobi::use(gpu::wave w, loads l) {
    const unsigned last = w.width() - 1;
    segment s;
    gpu::per_thread<double> outer;
    std::tie(s.here, outer) = co_await w.all(l.here, l.outer);
    s.west = gpu::per_thread<double>::from([&](unsigned i) { return i == 0 ? outer[0] : s.here[i - 1]; });
    s.east = gpu::per_thread<double>::from([&](unsigned i) { return i == last ? outer[last] : s.here[i + 1]; });
    w.work(2);  // the exchange between threads
    co_return s;
}

// Rows from `begin` on for one wavefront's columns. Each row is loaded once, while those before it are computed.
gpu::task<> jacobi::compute_rows(unsigned pe, gpu::wave w, unsigned step, unsigned begin, unsigned end) {
    const unsigned from = turn(step), to = turn(step + 1), workgroup = static_cast<unsigned>(w.cta());
    if (begin >= end) co_return;
    const auto source = [&](unsigned r) {  // one less than the first row: from above
        if (r == ~0u) return halo(memory_[pe].in, from, above);
        return r == spec_.rows ? halo(memory_[pe].in, from, below) : grid_row(pe, from, r);
    };
    const auto own = [&](unsigned r) { return r >= first_row(workgroup) && r < first_row(workgroup + 1); };
    const std::uint64_t stride = std::uint64_t{w.waves_in_cta()} * w.width();
    for (std::uint64_t at = w.wave_in_cta() * w.width(); at < spec_.columns; at += stride) {
        const auto c = w.thread_ids() + at;
        const auto in = c < spec_.columns - 1u && c != 0u;
        const auto load_row = [&](unsigned r) { return r == end + 1 ? loads{} : load(w, source(r), at, own(r)); };
        loads first = load_row(begin - 1), second = load_row(begin), below_it = load_row(begin + 1);
        segment up = co_await use(w, first);
        segment here = co_await use(w, second);
        for (unsigned r = begin; r < end; ++r) {
            const loads next = load_row(r + 2);
            const segment down = co_await use(w, below_it);
            below_it = next;
            const auto mean = ((up.here + down.here) + (here.west + here.east)) * 0.25;
            w.work(4);
            co_await w.store(grid_row(pe, to, r), c, mean, in);
            if (r == 0) co_await w.store(halo(memory_[pe].out, to, above), c, mean, in);
            if (r + 1 == spec_.rows) co_await w.store(halo(memory_[pe].out, to, below), c, mean, in);
            up = here;
            here = down;
        }
    }
}

gpu::task<> jacobi::compute(pe& of, gpu::wave w, unsigned step, part which) {
    const unsigned pe = of.my_pe(), workgroup = static_cast<unsigned>(w.cta());
    const unsigned begin = first_row(workgroup), end = first_row(workgroup + 1), last = spec_.rows - 1;
    if (which == part::interior) {
        co_await compute_rows(pe, w, step, std::max(begin, 1u), std::min(end, last));
        co_return;
    }
    if (begin == 0 && has(pe, above)) co_await compute_rows(pe, w, step, 0, 1);
    if (end == spec_.rows && has(pe, below)) co_await compute_rows(pe, w, step, last, spec_.rows);
}

core::bytes jacobi::compute_on_host(pe& of, unsigned step) {
    const unsigned pe = of.my_pe(), from = turn(step), to = turn(step + 1);
    const std::size_t n = spec_.columns;
    const memory& m = memory_[pe];
    const auto grid = of.memory().read(m.grid[from]);
    auto result = of.memory().read(m.grid[to]);
    const auto up_row = of.memory().read(halo(m.in, from, above)), down_row = of.memory().read(halo(m.in, from, below));
    for (unsigned r = 0; r < spec_.rows; ++r) {
        if ((r == 0 && !has(pe, above)) || (r + 1 == spec_.rows && !has(pe, below))) continue;
        for (std::size_t c = 1; c + 1 < n; ++c) {
            const double up = r == 0 ? up_row[c] : grid[(r - 1) * n + c];
            const double down = r + 1 == spec_.rows ? down_row[c] : grid[(r + 1) * n + c];
            result[r * n + c] = sum_of(up, down, grid[r * n + c - 1], grid[r * n + c + 1]) * 0.25;
        }
    }
    of.memory().write(m.grid[to], result);
    const auto write_out = [&](side s, unsigned r) {
        of.memory().write(halo(m.out, to, s),
                          std::vector<double>(result.begin() + static_cast<std::ptrdiff_t>(r * n),
                                              result.begin() + static_cast<std::ptrdiff_t>((r + 1) * n)));
    };
    write_out(above, 0);
    write_out(below, spec_.rows - 1);
    return spec_.host_bytes();
}

// What a PE has above goes to the place below of the PE above.
std::vector<program_if::message> jacobi::messages(const pe& of, unsigned workgroup, unsigned step) const {
    std::vector<message> all;
    const unsigned pe = of.my_pe(), to = turn(step + 1);
    const std::uint64_t bytes = std::uint64_t{spec_.columns} * sizeof(double);
    if (workgroup == 0 && has(pe, above))
        all.push_back(
            {halo(memory_[pe].in, to, below).address(), halo(memory_[pe].out, to, above).address(), bytes, pe - 1});
    if (workgroup + 1 == spec_.workgroups && has(pe, below))
        all.push_back(
            {halo(memory_[pe].in, to, above).address(), halo(memory_[pe].out, to, below).address(), bytes, pe + 1});
    return all;
}

std::vector<program_if::sender> jacobi::senders(const pe& of, unsigned workgroup, unsigned) const {
    std::vector<sender> all;
    if (workgroup == 0 && has(of.my_pe(), above)) all.push_back({of.my_pe() - 1, spec_.workgroups - 1});
    if (workgroup + 1 == spec_.workgroups && has(of.my_pe(), below)) all.push_back({of.my_pe() + 1, 0});
    return all;
}

// The whole grid in one array.
std::vector<double> jacobi::expected() const {
    std::vector<double> grid;
    for (unsigned pe = 0; pe < memory_.size(); ++pe) {
        const auto part = initial(pe);
        grid.insert(grid.end(), part.begin(), part.end());
    }
    auto next = grid;
    const std::size_t n = spec_.columns, rows = grid.size() / n;
    for (unsigned s = 0; s < spec_.steps; ++s) {
        for (std::size_t r = 1; r + 1 < rows; ++r)
            for (std::size_t c = 1; c + 1 < n; ++c)
                next[r * n + c] =
                    sum_of(grid[(r - 1) * n + c], grid[(r + 1) * n + c], grid[r * n + c - 1], grid[r * n + c + 1]) *
                    0.25;
        std::swap(grid, next);
    }
    return grid;
}

std::string jacobi::verify(job& j) const {
    const auto right = expected();
    std::size_t i = 0;
    for (unsigned pe = 0; pe < memory_.size(); ++pe)
        for (const double seen : j[pe].memory().read(memory_[pe].grid[turn(spec_.steps)])) {
            if (seen != right[i])
                return fmt::format("row {}, column {} is {}, and it should be {}", i / spec_.columns, i % spec_.columns,
                                   seen, right[i]);
            ++i;
        }
    return {};
}

}  // namespace contraflow::shmem
