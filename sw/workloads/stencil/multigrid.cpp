// SPDX-License-Identifier: Apache-2.0
// Geometric multigrid for Poisson's equation. The finest levels are spread over all sockets, the coarser ones gathered
// in the memory of fewer: residuals stream in on the way down, corrections out on the way up.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "workloads/stencil/multigrid_host.h"
#include "workloads/stencil/multigrid_kernels.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/placement.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class multigrid_workload final : public workload_if {
public:
    using spec = multigrid_spec;
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.dimensions = 3;
            s.grid = 128;
            s.cycles = 2;
        }
        return s;
    }
    explicit multigrid_workload(const spec& s) : spec_(s), kernels_(s) {
        for (std::uint32_t n = s.grid;; n /= 2) {
            multigrid_level l;
            l.cells = {n, s.dimensions == 3 ? n : 1, n};
            l.gathered = levels_.size() >= s.distributed;
            if (l.gathered && levels_.size() - s.distributed < 6)
                l.holders = std::max(1u, s.gathered_on >> (levels_.size() - s.distributed));
            levels_.push_back(l);
            if (!spec::coarsens(n)) break;
        }
        small_ = levels_.size() - 1;
        while (small_ > 1 && levels_[small_ - 1].cells.cells() <= s.small) --small_;
    }

    void prepare(device_memory& memory) override {
        std::size_t gathered = 0;
        for (auto& l : levels_) {
            if (on_first_socket(l)) {
                gathered += 3 * whole_lines(l);
                continue;
            }
            for (auto* a : {&l.u, &l.next, &l.f}) *a = memory.allocate<double>(l.cells.cells());
        }
        gathered_ = memory.allocate<double>(gathered);
        std::size_t begin = 0;
        for (auto& l : levels_) {
            if (!on_first_socket(l)) continue;
            for (auto* a : {&l.u, &l.next, &l.f}) {
                *a = gathered_.slice(begin, l.cells.cells());
                begin += whole_lines(l);
            }
        }
    }

    host_task run(gpu_system_if& gpu) override {
        if (gathered_.size() > 0) co_await place_at_first_socket(gpu, gathered_);
        for (std::size_t k = 0; k < levels_.size(); ++k) {
            if (!on_first_socket(levels_[k]))
                co_await launch(gpu, name("initialise", k), levels_[k], &multigrid_kernels::initialise);
        }
        for (unsigned c = 0; c < spec_.cycles; ++c) co_await v_cycle(gpu, c == 0);
    }

    std::string verify(device_memory& memory) override {
        const auto u = memory.read(levels_.front().u);
        const multigrid_host host(spec_);
        // A residual is rounded to 2 dimensions / h^2 units in the last place of u, and the inverse of the operator
        // scales that by at most 1 / (dimensions pi^2); a cycle has a few such terms.
        const double n = spec_.grid;
        const double tolerance = 0x1p-52 * n * n * spec_.cycles;
        if (auto wrong = difference("u", u, host.solve(), tolerance, 1); !wrong.empty()) return wrong;
        const double left = host.residual_norm(u) / host.residual_norm(std::vector<double>(u.size()));
        if (left > std::pow(0.75, spec_.cycles))  // with one sweep a level, in three dimensions
            return fmt::format("the residual went down to {} only in {} cycles", left, spec_.cycles);
        return {};
    }

private:
    static bool on_first_socket(const multigrid_level& l) { return l.gathered && l.holders == 1; }
    static std::size_t whole_lines(const multigrid_level& l) { return (l.cells.cells() + 15) / 16 * 16; }

    host_task v_cycle(gpu_system_if& gpu, bool from_nothing) {
        for (std::size_t k = 0; k < small_; ++k) {
            auto& l = levels_[k];
            const bool u_is_0 = k > 0 || from_nothing;
            if (u_is_0) co_await launch(gpu, name("first_sweep", k), l, &multigrid_kernels::first_sweep);
            for (unsigned s = u_is_0 ? 1 : 0; s < spec_.pre; ++s) co_await sweep(gpu, k);
            co_await launch(gpu, name("restrict", k), l, levels_[k + 1],
                            l.columns_down(levels_[k + 1], gpu.wave_width()), &multigrid_kernels::restrict_residual);
        }
        co_await small_levels(gpu);
        for (std::size_t k = small_; k-- > 0;) {
            co_await launch(gpu, name("prolong", k), levels_[k], levels_[k + 1],
                            levels_[k].columns_up(levels_[k + 1], gpu.wave_width()), &multigrid_kernels::prolong);
            for (unsigned s = 0; s < spec_.post; ++s) co_await sweep(gpu, k);
        }
    }

    host_task sweep(gpu_system_if& gpu, std::size_t k) {
        auto& l = levels_[k];
        co_await launch(gpu, name("sweep", k), l, &multigrid_kernels::sweep);
        std::swap(l.u, l.next);
    }

    host_task small_levels(gpu_system_if& gpu) {
        const auto words = kernels_.scratchpad_words(levels_.back());
        co_await gpu.launch({name("small_levels", small_), 1, whole_waves(spec_.small_block, gpu.wave_width()),
                             [this](wave w) { return kernels_.small_levels(w, levels_, small_); },
                             core::bytes{words * sizeof(double)}});
        for (std::size_t k = small_; k + 1 < levels_.size(); ++k) {
            if (kernels_.swaps_of_small_levels() % 2 == 1) std::swap(levels_[k].u, levels_[k].next);
        }
    }

    // A wavefront for each column, on the sockets that work on the level.
    std::uint32_t ctas(const multigrid_level& l, const columns& all, std::uint32_t block) const {
        if (!l.gathered) return all.ctas(block);
        return (all.ctas(block) + l.holders - 1) / l.holders * spec_.sockets;
    }
    column_share share_of(wave w, const multigrid_level& l) const {
        return l.gathered ? column_share::of_first_in_groups(w, l.holders, spec_.sockets / l.holders)
                          : column_share::of_grid(w);
    }
    launch_operation launch(gpu_system_if& gpu, std::string_view kernel_name, const multigrid_level& l,
                            task<> (multigrid_kernels::*body)(wave, column_share, multigrid_level) const) {
        const std::uint32_t block = whole_waves(spec_.block, gpu.wave_width());
        return gpu.launch({kernel_name, ctas(l, l.own_columns(gpu.wave_width()), block), block,
                           [this, &l, body](wave w) { return (kernels_.*body)(w, share_of(w, l), l); }});
    }
    launch_operation launch(gpu_system_if& gpu, std::string_view kernel_name, const multigrid_level& fine,
                            const multigrid_level& coarse, const columns& all,
                            task<> (multigrid_kernels::*body)(wave, column_share, multigrid_level, multigrid_level)
                                const) {
        const std::uint32_t block = whole_waves(spec_.block, gpu.wave_width());
        return gpu.launch({kernel_name, ctas(fine, all, block), block, [this, &fine, &coarse, body](wave w) {
                               return (kernels_.*body)(w, share_of(w, fine), fine, coarse);
                           }});
    }
    static std::string name(std::string_view what, std::size_t level) { return fmt::format("{}_{}", what, level); }

    const spec spec_;
    const multigrid_kernels kernels_;
    std::vector<multigrid_level> levels_;  // from the finest to the coarsest
    std::size_t small_;                    // the first level that one CTA does, with all later ones
    array<double> gathered_;               // the memory of all gathered levels' arrays
};

}  // namespace

workload_entry multigrid() {
    return entry_of<multigrid_workload>(
        "multigrid", "V-cycles whose coarse levels are gathered on fewer sockets",
        "HPGMG, AMG: solvers with kernels of many sizes and phases of opposite traffic");
}

}  // namespace contraflow::workloads
