// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/network_spec.h"

#include <stdexcept>

namespace contraflow::gpu {
namespace {

struct named_kind {
    network_kind kind;
    net::topology topology;
    const char* name;
};
constexpr std::array kinds{
    named_kind{network_kind::central_switch, net::topology::central_switch, "a switch"},
    named_kind{network_kind::fully_connected, net::topology::fully_connected, "a link for each pair"},
    named_kind{network_kind::ring, net::topology::ring, "a ring"},
    named_kind{network_kind::mesh, net::topology::mesh, "a mesh"},
    named_kind{network_kind::torus, net::topology::torus, "a torus"},
    named_kind{network_kind::tree, net::topology::tree, "a tree of switches"},
};

network_kind kind_of(const network_spec& s) { return s.kind(); }
void choose(network_spec& s, network_kind k) { s.set_kind(k); }

}  // namespace

network_kind network_spec::kind() const {
    if (in_pcie_tree) return network_kind::pcie;
    for (const auto& k : kinds)
        if (k.topology == topology) return k.kind;
    throw std::logic_error("a topology without a kind of network");
}

void network_spec::set_kind(network_kind k) {
    in_pcie_tree = k == network_kind::pcie;
    for (const auto& known : kinds)
        if (known.kind == k) topology = known.topology;
}

void network_spec::describe(config::fields<network_spec>& f) {
    f.choice<network_kind, kind_of, choose>("kind").text(
        "what joins the GPUs: a PCIe tree, or links: to a switch, between all pairs, in a ring, in rows and "
        "columns (mesh), the same with a ring in each (torus), or in a tree of switches");
    describe_shape(f);
    f("link", &network_spec::link).text("each link, of any kind but pcie");
    f("pcie", &network_spec::pcie).text("the PCIe tree, of kind pcie");
}

std::string network_name(network_kind k) {
    for (const auto& known : kinds)
        if (known.kind == k) return known.name;
    return "a PCIe tree";
}

}  // namespace contraflow::gpu
