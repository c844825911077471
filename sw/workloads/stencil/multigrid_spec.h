// SPDX-License-Identifier: Apache-2.0
// Parameters of the multigrid workload, and the numerics that kernels and host share.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "config/fields.h"
#include "config/tree/problem.h"

namespace contraflow::workloads {

struct multigrid_spec {
    std::uint32_t grid = 256;
    unsigned dimensions = 2;
    unsigned cycles = 1;
    unsigned pre = 1;
    unsigned post = 1;
    unsigned bottom = 40;
    unsigned distributed = 1;
    std::uint32_t gathered_on = 1;
    std::uint32_t small = 4096;
    std::uint32_t sockets = 4;
    std::uint32_t block = 256;
    std::uint32_t small_block = 1024;

    static void describe(config::fields<multigrid_spec>& f) {
        f("grid", &multigrid_spec::grid)
            .in(8, 1 << 14)
            .check([](std::uint32_t n) { return coarsest_of(n) <= 7; }, "a power of two times 1, 3, 5 or 7")
            .unit("cells")
            .text("cells along each edge of the finest level");
        f("dimensions", &multigrid_spec::dimensions).in(2, 3).text("dimensions of the domain");
        f("cycles", &multigrid_spec::cycles).at_least(1).text("V-cycles");
        f("pre", &multigrid_spec::pre).at_least(1).text("smoothing sweeps on the way down");
        f("post", &multigrid_spec::post).text("smoothing sweeps on the way up");
        f("bottom", &multigrid_spec::bottom).at_least(1).text("sweeps on the coarsest level");
        f("distributed", &multigrid_spec::distributed)
            .at_least(1)
            .text("finest levels that lie in all sockets' memories; the others are gathered on fewer sockets");
        f("gathered_on", &multigrid_spec::gathered_on)
            .in(1, 32)
            .power_of_two()
            .unit("sockets")
            .text("that hold the first gathered level, each for the run of sockets that it begins; every further level "
                  "is on half as many, down to the first socket alone");
        f("small", &multigrid_spec::small)
            .unit("cells")
            .text("levels below the finest with at most this many cells are done by one CTA in one launch");
        f("sockets", &multigrid_spec::sockets)
            .in(1, 64)
            .text("sockets of the machine: 1/sockets of the CTAs do a level that one socket holds");
        const auto whole = [](std::uint32_t b) { return b % 32 == 0; };
        f("block", &multigrid_spec::block)
            .in(32, 1024)
            .check(whole, "of whole wavefronts")
            .unit("threads")
            .text("threads of a CTA; more where the machine's wavefronts do not divide it");
        f("small_block", &multigrid_spec::small_block)
            .in(32, 1024)
            .check(whole, "of whole wavefronts")
            .unit("threads")
            .text("threads of the CTA that does small levels; more as of block");
    }

    // More cells would take weeks on any computer, above all for the host's own computation of the result.
    static constexpr std::uint64_t most_cells = std::uint64_t{1} << 28;
    std::vector<config::problem> problems() const {
        if (sockets % gathered_on != 0)
            return {{fmt::format("{} sockets do not divide into {} equal runs", sockets, gathered_on),
                     {{"gathered_on", "1, or a power of two that divides sockets"},
                      {"sockets", fmt::format("a multiple of {}", gathered_on)}}}};
        if (gathered_on > 1 && distributed >= levels())
            return {{fmt::format("gathered_on has no effect: all {} levels are distributed", levels()),
                     {{"gathered_on", "1"}, {"distributed", fmt::format("at most {}", levels() - 1)}}}};
        const double cells = std::pow(grid, dimensions);
        if (cells <= static_cast<double>(most_cells)) return {};
        const auto most = static_cast<std::uint32_t>(std::pow(most_cells, 1.0 / dimensions));
        return {{fmt::format("{} cells along {} edges are {:.3g} cells", grid, dimensions, cells),
                 {{"grid", fmt::format("8 to {} with {} dimensions", most, dimensions)}, {"dimensions", "2"}}}};
    }

    unsigned levels() const {
        unsigned all = 1;
        for (std::uint32_t n = grid; coarsens(n); n /= 2) ++all;
        return all;
    }
    static constexpr bool coarsens(std::uint32_t n) { return n % 2 == 0 && n > 2; }
    static constexpr std::uint32_t coarsest_of(std::uint32_t n) {
        while (coarsens(n)) n /= 2;
        return n;
    }
    // The factor of damped Jacobi: it damps the errors that a coarser level cannot represent.
    double damping() const { return dimensions == 2 ? 4.0 / 5 : 6.0 / 7; }
};

}  // namespace contraflow::workloads
