// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/network_spec.h"

namespace contraflow::gpu {

void network_spec::describe(config::fields<network_spec>& f) {
    f("topology", &network_spec::topology)
        .text("what joins the sockets: a switch, a link for each pair, a ring of neighbours, rows and columns of them "
              "(mesh), the same with a ring in each (torus), or a tree of switches");
    f("link", &network_spec::link).text("each link; two virtual channels a direction, four in a ring or torus");
}

void any_network_spec::describe(config::fields<any_network_spec>& f) {
    f("topology", &any_network_spec::topology)
        .text("what joins the GPUs: a switch, a link for each pair, a ring of neighbours, rows and columns of them "
              "(mesh), the same with a ring in each (torus), or a tree of switches");
    f("mesh_columns", &any_network_spec::mesh_columns)
        .in(0, 64)
        .unit("GPUs")
        .text("in a row of the mesh or torus; 0: as near to a square as whole rows allow");
    f("mesh_rows", &any_network_spec::mesh_rows)
        .in(0, 64)
        .unit("GPUs")
        .text("in a column of a plane of the mesh or torus; 0: there is one plane");
    f("tree_arity", &any_network_spec::tree_arity).in(2, 64).text("GPUs or switches below each switch of the tree");
    f("link", &any_network_spec::link).text("each link; two virtual channels a direction, four in a ring or torus");
    f("pcie", &any_network_spec::pcie)
        .text("where given, the GPUs are in a PCIe tree, and the links above are not there");
}

}  // namespace contraflow::gpu
