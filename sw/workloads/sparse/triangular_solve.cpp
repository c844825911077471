// SPDX-License-Identifier: Apache-2.0
// L x = b for a sparse lower triangle, without levels and without a barrier between rows: each row waits until all rows
// that it needs have added their terms to its sum. Source: Liu, Li, Hogg, Duff, Vinter: A Synchronization-Free
// Algorithm for Parallel Sparse Triangular Solves, Euro-Par 2016. There a wavefront has one row; here it may have one a
// thread, and the columns of the rows that it solves together are dealt out to its threads.
//
// A row's count of missing terms reaches 0 after its sum is complete, because a wavefront sends the count's decrement
// when the atomic addition to the sum has returned, which it does when it has been carried out at the element's home.
// Counts and sums are read from their homes, too, not from copies.
//
// It cannot hang, in whatever order CTAs start: wavefronts draw their rows in ascending order from one counter as they
// start. The lowest row that is not yet solved belongs to a wavefront that runs, or to the next one that starts. All
// rows it needs are solved, so it is solved in the next round of its wavefront; the rows of the other threads of that
// wavefront do not hold it back. If no wavefront can start, those that run have drawn all the rows below, and the
// lowest of these makes progress until its wavefront ends and makes room.
#include <algorithm>

#include "workloads/sparse/matrix_source.h"
#include "workloads/sparse/triangle.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/segment_walk.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class triangular_solve_workload final : public workload_if {
public:
    struct spec {
        matrix_choice matrix;
        unsigned rows = default_wave_width;
        std::uint32_t pause = 64;

        static void describe(config::fields<spec>& f) {
            f("matrix", &spec::matrix).text("the matrix, which must be square; what is above its diagonal is left out");
            f("rows", &spec::rows)
                .in(1, max_wave_width)
                .text("that a wavefront draws at a time, a thread each: at most its width");
            f("pause", &spec::pause).in(0, 1 << 20).unit("cycles").text("between two looks at rows that have to wait");
        }
        std::vector<config::problem> problems() const { return config::below("matrix", problems_of(matrix.values)); }
    };
    static spec sized(workload_size size) {
        spec s;
        s.matrix.values.kind = matrix_kind::road;
        if (size == workload_size::paper) {
            s.matrix.values.rows = 1 << 19;
            s.matrix.values.entries = 1'260'000;
        }
        return s;
    }
    explicit triangular_solve_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    unsigned rows_of(unsigned width) const { return std::min(spec_.rows, width); }  // that a wavefront draws
    double right_side(std::uint64_t row) const { return input_real(spec_.matrix.values.seed, row); }
    kernel begin(wave w);
    kernel count(wave w);
    kernel solve(wave w);

    const spec spec_;
    csr_matrix host_;
    // The triangle by columns, without its diagonal.
    array<std::uint32_t> column_begin_, row_;
    array<double> value_;
    array<double> diagonal_;
    array<double> b_, sum_, x_;
    array<std::int32_t> missing_;  // terms of a row's sum
    array<std::uint32_t> drawn_;   // rows, by wavefronts so far
};

void triangular_solve_workload::prepare(device_memory& memory) {
    host_ = lower_triangle(make_matrix(spec_.matrix.values));
    csr_matrix columns = transposed(host_);
    std::vector<double> diagonal(host_.rows);
    // The diagonal is the first entry of a column.
    std::uint32_t kept = 0;
    for (std::uint32_t c = 0; c < columns.rows; ++c) {
        const std::uint32_t first = columns.row_begin[c], end = columns.row_begin[c + 1];
        diagonal[c] = columns.value[first];
        columns.row_begin[c] = kept;
        for (std::uint32_t i = first + 1; i < end; ++i, ++kept) {
            columns.column[kept] = columns.column[i];
            columns.value[kept] = columns.value[i];
        }
    }
    columns.row_begin[columns.rows] = kept;
    columns.column.resize(kept);
    columns.value.resize(kept);
    column_begin_ = memory.upload(columns.row_begin);
    row_ = memory.upload(columns.column);
    value_ = memory.upload(columns.value);
    diagonal_ = memory.upload(diagonal);
    b_ = memory.allocate<double>(host_.rows);
    sum_ = memory.allocate<double>(host_.rows);
    x_ = memory.allocate<double>(host_.rows);
    missing_ = memory.allocate<std::int32_t>(host_.rows);
    drawn_ = memory.allocate<std::uint32_t>(1);
}

host_task triangular_solve_workload::run(gpu_system_if& gpu) {
    const std::uint32_t by_rows = blocks_for(host_.rows, usual_block);
    co_await gpu.launch({"begin", by_rows, usual_block, this, &triangular_solve_workload::begin});
    if (row_.size() != 0)
        co_await gpu.launch(
            {"count", blocks_for(row_.size(), usual_block), usual_block, this, &triangular_solve_workload::count});
    const unsigned width = gpu.wave_width(), rows = rows_of(width);
    const std::uint64_t threads = (host_.rows + rows - 1) / rows * std::uint64_t{width};
    co_await gpu.launch(
        {"solve", blocks_for(threads, usual_block), usual_block, this, &triangular_solve_workload::solve});
}

kernel triangular_solve_workload::begin(wave w) {
    const auto row = w.global_ids();
    const mask in = row < host_.rows;
    const auto b = map([this](std::uint64_t r) { return right_side(r); }, row);
    co_await w.all(w.store(b_, row, b, in), w.store(sum_, row, 0.0, in), w.store(missing_, row, 0, in),
                   w.store(drawn_, row, 0u, row == 0u));
}

kernel triangular_solve_workload::count(wave w) {
    const auto entry = w.global_ids();
    const mask in = entry < row_.size();
    co_await w.atomic_add(missing_, co_await w.load(row_, entry, in), 1, in);
}

kernel triangular_solve_workload::solve(wave w) {
    const auto drawn = co_await w.atomic_add(drawn_, 0u, rows_of(w.width()), mask::thread(0));
    const auto row = w.thread_ids() + drawn[0];
    mask left = row < host_.rows && mask::first(rows_of(w.width()));
    const auto [begin, end, b, diagonal] =
        co_await w.all(w.load(column_begin_, row, left), w.load(column_begin_, row + 1u, left), w.load(b_, row, left),
                       w.load(diagonal_, row, left));
    while (left.any()) {
        const auto missing = co_await w.load_uncached(missing_, row, left);
        const mask ready = left && missing == 0;
        if (ready.none()) {
            w.work(spec_.pause);
            continue;
        }
        const auto sum = co_await w.load_uncached(sum_, row, ready);
        const auto x = (b - sum) / diagonal;
        co_await w.store(x_, row, x, ready);
        segment_walk walk(w, begin, end, ready);
        while (walk.next()) {
            const auto [to, value] =
                co_await w.all(w.load(row_, walk.item(), walk.here()), w.load(value_, walk.item(), walk.here()));
            co_await w.atomic_add(sum_, to, value * shuffle(x, walk.owner()), walk.here());
            co_await w.atomic_add(missing_, to, -1, walk.here());
        }
        left = left && !ready;
    }
}

std::string triangular_solve_workload::verify(device_memory& memory) {
    std::vector<double> b(host_.rows);
    for (std::uint32_t r = 0; r < host_.rows; ++r) b[r] = right_side(r);
    const std::vector<double> x = solve_forward(host_, b);
    return difference("x", memory.read(x_), x, solution_tolerance(host_, x), 1);
}

}  // namespace

workload_entry triangular_solve() {
    return entry_of<triangular_solve_workload>("triangular_solve",
                                               "a sparse triangle solved by rows that wait for one another",
                                               "SpTRSV of preconditioners and direct solvers", suite::gpus);
}

}  // namespace contraflow::workloads
