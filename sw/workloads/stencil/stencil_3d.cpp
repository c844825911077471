// SPDX-License-Identifier: Apache-2.0
// Seven-point stencil: heat in a block.
#include "workloads/stencil/heat.h"
#include "workloads/support/entry.h"

namespace contraflow::workloads {
namespace {

class stencil_3d_workload final : public heat {
public:
    struct spec : heat_spec {
        std::uint32_t nx = 64;
        std::uint32_t ny = 64;
        std::uint32_t nz = 64;

        static void describe(config::fields<spec>& f) {
            f("nx", &spec::nx).in(2, 1 << 16).text("cells of a line");
            f("ny", &spec::ny).in(2, 1 << 16).text("lines of a plane");
            f("nz", &spec::nz).in(2, 1 << 16).text("planes");
            describe_heat(f);
        }
    };
    static spec sized(workload_size size) {
        return size == workload_size::paper ? spec{{.steps = 8}, 128, 128, 128} : spec{};
    }
    explicit stencil_3d_workload(const spec& s) : heat({s.nx, s.ny, s.nz}, s) {}
};

}  // namespace

workload_entry stencil_3d() {
    return entry_of<stencil_3d_workload>("stencil_3d",
                                         "explicit steps of a seven-point stencil, halos between neighbouring sockets",
                                         "Lulesh-like and finite-difference codes on regular grids");
}

}  // namespace contraflow::workloads
