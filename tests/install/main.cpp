// SPDX-License-Identifier: Apache-2.0
// What another project does with an installed Contraflow: builds a PCIe tree, and schedules on simulated time.
#include <cstdio>
#include <stdexcept>

#include "core/simulation.h"
#include "core/units.h"
#include "pcie/topology.h"

namespace {

namespace core = contraflow::core;
namespace pcie = contraflow::pcie;

void demand(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

}  // namespace

int main() {
    pcie::topology tree;
    const auto root = tree.add({.name = "rc", .kind = pcie::node_kind::root_complex}, pcie::no_node);
    const auto gpu0 = tree.add({.name = "gpu0"}, root);
    const auto gpu1 = tree.add({.name = "gpu1"}, root);
    const auto way = tree.path(gpu0, gpu1);
    demand(way && way->ports.size() == 2, "gpu0 reaches gpu1 through two ports");

    core::simulation sim;
    std::uint64_t arrived_ps = 0;
    const auto took = tree.link_above(gpu0).time_of(core::bytes{1 << 20});
    struct arrival {
        core::scheduler& events;
        std::uint64_t& at_ps;
        void note() { at_ps = events.now().ps; }
    } last_byte{sim.events(), arrived_ps};
    sim.events().after<&arrival::note>(took, &last_byte);
    sim.run();
    demand(arrived_ps == took.ps && arrived_ps > 0, "the callback ran at the time it was scheduled for");
    std::printf("1 MiB over %s: %s\n", to_text(tree[gpu0].link).c_str(), core::to_text(took).c_str());
}
