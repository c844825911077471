// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/network_spec.h"

namespace contraflow::gpu {
namespace {

network_kind kind_of(const network_spec& s) { return s.kind(); }
void choose(network_spec& s, network_kind k) { s.set_kind(k); }

}  // namespace

network_kind network_spec::kind() const { return in_pcie_tree ? network_kind::pcie : of_links(topology); }

void network_spec::set_kind(network_kind k) {
    in_pcie_tree = k == network_kind::pcie;
    if (!in_pcie_tree) topology = static_cast<net::topology>(k);
}

void network_spec::describe(config::fields<network_spec>& f) {
    f.choice<network_kind, kind_of, choose>("kind").text(
        "what joins the GPUs: a PCIe tree, or links: to a switch, between all pairs, in a ring, in rows and "
        "columns (mesh), the same with a ring in each (torus), or in a tree of switches");
    f.renamed("topology", "kind");
    describe_shape(f);
    f("link", &network_spec::link).text("each link, of any kind but pcie");
    f("pcie", &network_spec::pcie).text("the PCIe tree, of kind pcie");
}

std::string network_name(network_kind k) {
    switch (k) {
    case network_kind::pcie: return "a PCIe tree";
    case network_kind::central_switch: return "a switch";
    case network_kind::fully_connected: return "a link for each pair";
    case network_kind::ring: return "a ring";
    case network_kind::mesh: return "a mesh";
    case network_kind::torus: return "a torus";
    case network_kind::tree: return "a tree of switches";
    }
    return {};
}

}  // namespace contraflow::gpu
