// SPDX-License-Identifier: Apache-2.0
// Five-point stencil: heat in a plate.
#include "workloads/stencil/heat.h"
#include "workloads/support/entry.h"

namespace contraflow::workloads {
namespace {

class stencil_2d_workload final : public heat {
public:
    struct spec : heat_spec {
        std::uint32_t nx = 512;
        std::uint32_t ny = 512;

        static void describe(config::fields<spec>& f) {
            f("nx", &spec::nx).in(2, 1 << 16).text("cells of a line");
            f("ny", &spec::ny).in(2, 1 << 16).text("lines");
            describe_heat(f);
        }
    };
    static spec sized(workload_size size) {
        return size == workload_size::paper ? spec{{.steps = 10}, 1536, 1536} : spec{};
    }
    explicit stencil_2d_workload(const spec& s) : heat({s.nx, 1, s.ny}, s) {}
};

}  // namespace

workload_entry stencil_2d() {
    return entry_of<stencil_2d_workload>("stencil_2d",
                                         "explicit steps of a five-point stencil, halos between neighbouring sockets",
                                         "Hotspot, SRAD, weather codes on regular grids");
}

}  // namespace contraflow::workloads
