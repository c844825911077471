// SPDX-License-Identifier: Apache-2.0
// V-cycles of an algebraic multigrid on a matrix without a grid: products with sparse matrices on every level, sums
// over aggregates on the way down, corrections on the way up. The host has made the levels beforehand.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "workloads/sparse/aggregation.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/segment_walk.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr std::uint32_t coarsest = 32;

struct device_level {
    std::uint32_t rows = 0;
    array<std::uint32_t> row_begin, column;
    array<double> value, inverse_diagonal;
    array<std::uint32_t> aggregate, member_begin, member;
    array<double> x, next_x, b, residual;
};

class algebraic_multigrid_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t side = 14;
        bool shuffled = true;
        unsigned cycles = 1;
        unsigned sweeps = 1;
        unsigned bottom_sweeps = 8;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("side", &spec::side).in(2, 256).text("points along the sides of the cube whose Laplacian is the matrix");
            f("shuffled", &spec::shuffled).text("unknowns are numbered at random, not point by point");
            f("cycles", &spec::cycles).in(1, 1000).text("V-cycles");
            f("sweeps", &spec::sweeps).in(1, 100).text("sweeps of smoothing before and after the coarser levels");
            f("bottom_sweeps", &spec::bottom_sweeps).in(1, 1000).text("sweeps of smoothing on the coarsest level");
            f("seed", &spec::seed).text("seed of the numbering and the right-hand side");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.side = 64;
        return s;
    }
    explicit algebraic_multigrid_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    host_task v_cycle(gpu_system_if& gpu, std::size_t at);
    host_task smooth(gpu_system_if& gpu, std::size_t at, unsigned sweeps);
    task<per_thread<double>> residual_of(wave w, const device_level* l, per_thread<std::uint64_t> row, mask in);

    const spec spec_;
    std::vector<aggregation_level> host_;
    std::deque<device_level> levels_;
};

void algebraic_multigrid_workload::prepare(device_memory& memory) {
    host_ = aggregate_levels(cube_laplacian(spec_.side, spec_.shuffled, spec_.seed), coarsest);
    levels_.clear();
    for (const aggregation_level& h : host_) {
        device_level& l = levels_.emplace_back();
        l.rows = h.matrix.rows;
        l.x = memory.allocate<double>(l.rows);
        l.next_x = memory.allocate<double>(l.rows);
        l.b = memory.allocate<double>(l.rows);
        l.residual = memory.allocate<double>(l.rows);
        l.row_begin = memory.upload(h.matrix.row_begin);
        l.column = memory.upload(h.matrix.column);
        l.value = memory.upload(h.matrix.value);
        l.inverse_diagonal = memory.upload(h.inverse_diagonal);
        l.aggregate = memory.upload(h.aggregate);
        l.member_begin = memory.upload(h.member_begin);
        l.member = memory.upload(h.member);
    }
}

host_task algebraic_multigrid_workload::run(gpu_system_if& gpu) {
    co_await gpu.launch({"begin", blocks_for(levels_[0].rows, usual_block), usual_block, [this](wave w) -> kernel {
                             const auto row = w.global_ids();
                             const auto b = 2.0 * input_real(spec_.seed, row) - 1.0;
                             co_await w.all(w.store(levels_[0].b, row, b, row < levels_[0].rows),
                                            w.store(levels_[0].x, row, 0.0, row < levels_[0].rows));
                         }});
    for (unsigned c = 0; c < spec_.cycles; ++c) co_await v_cycle(gpu, 0);
}

host_task algebraic_multigrid_workload::v_cycle(gpu_system_if& gpu, std::size_t at) {
    if (at + 1 == levels_.size()) {
        co_await smooth(gpu, at, spec_.bottom_sweeps);
        co_return;
    }
    co_await smooth(gpu, at, spec_.sweeps);
    device_level* const fine = &levels_[at];
    device_level* const coarse = &levels_[at + 1];
    co_await gpu.launch({"residual", blocks_for(fine->rows, usual_block), usual_block, [this, fine](wave w) -> kernel {
                             const auto row = w.global_ids();
                             const mask in = row < fine->rows;
                             co_await w.store(fine->residual, row, co_await residual_of(w, fine, row, in), in);
                         }});
    co_await gpu.launch(
        {"restrict", blocks_for(coarse->rows, usual_block), usual_block, [fine, coarse](wave w) -> kernel {
             const auto row = w.global_ids();
             const mask in = row < coarse->rows;
             const auto [begin, end] =
                 co_await w.all(w.load(fine->member_begin, row, in), w.load(fine->member_begin, row + 1, in));
             per_thread<double> sum;
             segment_walk walk(w, begin, end, in);
             while (walk.next()) {
                 const auto member = co_await w.load(fine->member, walk.item(), walk.here());
                 walk.add_to_owners(co_await w.load(fine->residual, member, walk.here()), sum);
             }
             co_await w.all(w.store(coarse->b, row, sum, in), w.store(coarse->x, row, 0.0, in));
         }});
    co_await v_cycle(gpu, at + 1);
    co_await gpu.launch({"prolong", blocks_for(fine->rows, usual_block), usual_block, [fine, coarse](wave w) -> kernel {
                             const auto row = w.global_ids();
                             const mask in = row < fine->rows;
                             const auto [aggregate, x] =
                                 co_await w.all(w.load(fine->aggregate, row, in), w.load(fine->x, row, in));
                             co_await w.store(fine->x, row, x + co_await w.load(coarse->x, aggregate, in), in);
                         }});
    co_await smooth(gpu, at, spec_.sweeps);
}

host_task algebraic_multigrid_workload::smooth(gpu_system_if& gpu, std::size_t at, unsigned sweeps) {
    device_level* const l = &levels_[at];
    for (unsigned s = 0; s < sweeps; ++s) {
        co_await gpu.launch({"smooth", blocks_for(l->rows, usual_block), usual_block, [this, l](wave w) -> kernel {
                                 const auto row = w.global_ids();
                                 const mask in = row < l->rows;
                                 const auto r = co_await residual_of(w, l, row, in);
                                 const auto [x, inverse] =
                                     co_await w.all(w.load(l->x, row, in), w.load(l->inverse_diagonal, row, in));
                                 co_await w.store(l->next_x, row, x + jacobi_damping * inverse * r, in);
                             }});
        std::swap(l->x, l->next_x);
    }
}

task<per_thread<double>> algebraic_multigrid_workload::residual_of(wave w, const device_level* l,
                                                                   per_thread<std::uint64_t> row, mask in) {
    const auto [begin, end, b] =
        co_await w.all(w.load(l->row_begin, row, in), w.load(l->row_begin, row + 1, in), w.load(l->b, row, in));
    per_thread<double> sum;
    segment_walk walk(w, begin, end, in);
    while (walk.next()) {
        const auto [column, value] =
            co_await w.all(w.load(l->column, walk.item(), walk.here()), w.load(l->value, walk.item(), walk.here()));
        walk.add_to_owners(value * co_await w.load(l->x, column, walk.here()), sum);
    }
    co_return b - sum;
}

std::string algebraic_multigrid_workload::verify(device_memory& memory) {
    std::vector<double> b(levels_[0].rows);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 2 * input_real(spec_.seed, i) - 1;
    const auto x = solve_by_aggregation(host_, b, spec_.cycles, spec_.sweeps, spec_.bottom_sweeps);
    double greatest = 0;
    for (const double each : x) greatest = std::max(greatest, std::abs(each));
    // Sums of a row's few terms in another order, on every level of every cycle; the coarser levels' corrections are of
    // the solution's own size.
    return difference("x", memory.read(levels_[0].x), x, 1e-12 * spec_.cycles * static_cast<double>(host_.size()),
                      greatest);
}

}  // namespace

workload_entry algebraic_multigrid() {
    return entry_of<algebraic_multigrid_workload>("algebraic_multigrid", "V-cycles on a matrix that knows no grid",
                                                  "AMG2013, hypre's BoomerAMG, AmgX");
}

}  // namespace contraflow::workloads
