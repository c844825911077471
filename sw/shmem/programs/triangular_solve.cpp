// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/triangular_solve.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "shmem/context.h"
#include "workloads/sparse/triangle.h"
#include "workloads/support/difference.h"
#include "workloads/support/input.h"
#include "workloads/support/segment_walk.h"

namespace contraflow::shmem {

using gpu::mask;

void triangular_solve::spec::describe(config::fields<spec>& f) {
    f("matrix", &spec::matrix).text("the matrix, which must be square; what is above its diagonal is left out");
    f("block", &spec::block).in(1, 1 << 20).unit("rows").text("neighbouring rows on the same PE; blocks go round");
    f("workgroups", &spec::workgroups).in(1, 1024).text("of a PE, of one wavefront each, with a context each");
    f("rows", &spec::rows)
        .in(1, gpu::max_wave_width)
        .text("that a workgroup draws at a time, a thread each: at most a wavefront's");
    f("pause", &spec::pause).in(0, 1 << 20).unit("instructions").text("between two looks at rows that have to wait");
}

double triangular_solve::right_side(std::uint32_t row) const {
    return workloads::input_real(spec_.matrix.values.seed, row);
}

triangular_solve::triangle triangular_solve::triangle_of(const spec& s) {
    return std::make_shared<const workloads::csr_matrix>(
        workloads::lower_triangle(workloads::make_matrix(s.matrix.values)));
}

triangular_solve::triangular_solve(const spec& s, triangle lower, unsigned pes)
    : spec_(s),
      lower_(std::move(lower)),
      parts_(workloads::deal_out(*lower_, {s.block, pes})) {
    for (const auto& part : parts_) {
        received_ = std::max<std::size_t>(received_, part.received_begin.back());
        sums_sent_ += part.sent.size();
    }
}

void triangular_solve::prepare(job& j) {
    if (parts_.size() > j.pes())
        throw std::invalid_argument(
            fmt::format("rows are dealt out to {} PEs, and there are {}", parts_.size(), j.pes()));
    parts_.resize(j.pes());
    for (unsigned rank = 0; rank < j.pes(); ++rank) memory_.push_back(place(j[rank], parts_[rank]));
    parts_ = {};
}

triangular_solve::memory triangular_solve::place(pe& on, const workloads::triangle_part& part) const {
    gpu::device_memory& gpu = on.memory();
    memory m;
    m.numbers = part.rows;
    std::vector<double> b;
    for (const std::uint32_t r : part.rows) b.push_back(right_side(r));
    std::vector<std::int32_t> missing(part.terms.begin(), part.terms.end());
    std::vector<std::uint32_t> to, places;
    for (const auto& sum : part.sent) {
        missing.push_back(static_cast<std::int32_t>(sum.terms));
        to.push_back(sum.to);
        places.push_back(sum.place);
    }
    m.column_begin = gpu.upload(part.column_begin);
    m.target = gpu.upload(part.target);
    m.value = gpu.upload(part.value);
    m.received_begin = gpu.upload(part.received_begin);
    m.diagonal = gpu.upload(part.diagonal);
    m.b = gpu.upload(b);
    m.x = gpu.upload(std::vector<double>(part.rows.size()));
    m.sum = gpu.upload(std::vector<double>(missing.size()));
    m.missing = gpu.upload(missing);
    m.sent_to = gpu.upload(to);
    m.sent_place = gpu.upload(places);
    m.drawn = gpu.upload(std::vector<std::uint32_t>{0});
    m.received = on.malloc<std::uint64_t>(received_);
    gpu.write(m.received, std::vector<std::uint64_t>(received_, nothing));
    return m;
}

gpu::task<> triangular_solve::whole(context& c, gpu::wave w) {
    const memory& m = memory_[c.my_pe()];
    const auto rows = static_cast<std::uint32_t>(m.numbers.size());
    const unsigned at_once = std::min(spec_.rows, w.width());
    for (;;) {
        const auto drawn = co_await w.atomic_add(m.drawn, 0u, at_once, mask::thread(0));
        if (drawn[0] >= rows) co_return;
        const auto row = w.thread_ids() + drawn[0];
        mask left = row < rows && mask::first(at_once);
        const auto [begin, end, first_place, last_place] =
            co_await w.all(w.load(m.column_begin, row, left), w.load(m.column_begin, row + 1u, left),
                           w.load(m.received_begin, row, left), w.load(m.received_begin, row + 1u, left));
        const auto [b, diagonal] = co_await w.all(w.load(m.b, row, left), w.load(m.diagonal, row, left));
        auto place = first_place;  // of the next sum that is to be received
        gpu::per_thread<double> received;
        while (left.any()) {
            if (const mask expects = left && place < last_place; expects.any()) {
                const auto word = co_await w.load_uncached(m.received, place, expects);
                const mask here = expects && word != nothing;
                received.assign(here,
                                received + gpu::map([](std::uint64_t v) { return std::bit_cast<double>(v); }, word));
                place.assign(here, place + 1u);
            }
            const auto missing = co_await w.load_uncached(m.missing, row, left);
            const mask ready = left && missing == 0 && place == last_place;
            if (ready.none()) {
                w.work(spec_.pause);
                continue;
            }
            const auto own = co_await w.load_uncached(m.sum, row, ready);
            const auto x = (b - own - received) / diagonal;
            co_await w.store(m.x, row, x, ready);
            workloads::segment_walk walk(w, begin, end, ready);
            while (walk.next()) {
                const auto [target, value] = co_await w.all(w.load(m.target, walk.item(), walk.here()),
                                                            w.load(m.value, walk.item(), walk.here()));
                co_await w.atomic_add(m.sum, target, value * gpu::shuffle(x, walk.owner()), walk.here());
                const auto before = co_await w.atomic_add(m.missing, target, -1, walk.here());
                const mask complete = walk.here() && target >= rows && before == 1;
                if (complete.none()) continue;
                const auto [to, at, sum] = co_await w.all(w.load(m.sent_to, target - rows, complete),
                                                          w.load(m.sent_place, target - rows, complete),
                                                          w.load_uncached(m.sum, target, complete));
                for (mask left_of = complete; left_of.any(); left_of = left_of.without_lowest()) {
                    const unsigned t = left_of.lowest();
                    co_await c.p(m.received.slice(at[t], 1), std::bit_cast<std::uint64_t>(sum[t]), to[t]);
                }
            }
            co_await c.submit();
            left = left && !ready;
        }
    }
}

std::string triangular_solve::verify(job& j) const {
    std::vector<double> b(lower_->rows), all(lower_->rows);
    for (std::uint32_t r = 0; r < lower_->rows; ++r) b[r] = right_side(r);
    for (unsigned rank = 0; rank < j.pes(); ++rank) {
        const auto x = j[rank].memory().read(memory_[rank].x);
        for (std::size_t i = 0; i < x.size(); ++i) all[memory_[rank].numbers[i]] = x[i];
    }
    const auto right = workloads::solve_forward(*lower_, b);
    return workloads::difference("x", all, right, workloads::solution_tolerance(*lower_, right), 1);
}

}  // namespace contraflow::shmem
