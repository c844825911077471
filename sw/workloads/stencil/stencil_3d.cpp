// SPDX-License-Identifier: Apache-2.0
// Seven-point stencil: heat in a block.
#include "workloads/stencil/heat.h"
#include "workloads/support/entry.h"

namespace contraflow::workloads {
namespace {

class stencil_3d_workload final : public heat {
public:
    struct spec {
        std::uint32_t nx = 64;
        std::uint32_t ny = 64;
        std::uint32_t nz = 64;
        unsigned steps = 2;
        std::uint32_t block = 256;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("nx", &spec::nx).in(2, 1 << 16).text("cells of a line");
            f("ny", &spec::ny).in(2, 1 << 16).text("lines of a plane");
            f("nz", &spec::nz).in(2, 1 << 16).text("planes");
            f("steps", &spec::steps).in(1, 100).text("in time, a launch each");
            f("block", &spec::block)
                .in(32, 1024)
                .check([](std::uint32_t b) { return b % gpu::wave_width == 0; }, "of whole wavefronts")
                .unit("threads")
                .text("threads of a CTA");
            f("seed", &spec::seed).text("of temperatures and sources");
        }
    };
    static spec sized(workload_size size) {
        return size == workload_size::paper ? spec{128, 128, 128, 8, 256, 1} : spec{};
    }
    explicit stencil_3d_workload(const spec& s) : heat({{s.nx, s.ny, s.nz}, s.steps, s.block, s.seed}) {}
};

}  // namespace

workload_entry stencil_3d() {
    return entry_of<stencil_3d_workload>("stencil_3d",
                                         "explicit steps of a seven-point stencil, halos between neighbouring sockets",
                                         "Lulesh-like and finite-difference codes on regular grids");
}

}  // namespace contraflow::workloads
