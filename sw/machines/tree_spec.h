// SPDX-License-Identifier: Apache-2.0
// A PCIe tree as a configuration describes it. Checks that span fields are in tree_config.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "pcie/fabric/topology.h"
#include "pcie/link/link_rate.h"

namespace contraflow::machines {

// The kind of an endpoint; patterns run between GPUs unless their participants are named.
enum class device_role { gpu, nic, storage, other };

// A node of the tree, and the link between it and its parent.
struct node_spec {
    std::string name;
    pcie::node_kind kind = pcie::node_kind::endpoint;
    std::optional<device_role> device;
    std::optional<pcie::link_rate> link;
    std::string about;
    std::vector<node_spec> children;

    static void describe(config::fields<node_spec>& f) {
        f("name", &node_spec::name).text("its name in communications and reports; unique in the tree");
        f("kind", &node_spec::kind).text("the root is a root_complex, or a machine with several; leaves are endpoints");
        f("device", &node_spec::device).text("kind of an endpoint; a gpu if not given. Patterns run between GPUs");
        f("link", &node_spec::link).text("link to the node above; the tree's `link` if not given");
        f("about", &node_spec::about).text("description for readers: model, bus id");
        f("children", &node_spec::children).text("nodes below");
    }
};

struct tree_spec {
    node_spec tree;
    pcie::link_rate link{3, 16};
    std::optional<core::bandwidth> socket_link;

    // Describes it as a part of an experiment.
    template <class S> static void describe(config::fields<S>& f) {
        f("tree", &S::tree).text("root complex, switches and endpoints");
        f("link", &S::link).text("link of the nodes that don't give one");
        f("socket_link", &S::socket_link)
            .check([](core::bandwidth b) { return b.bytes_per_s >= 1; }, "at least 1B/s")
            .text("raw rate between the root complexes of a machine, of which overheads take their part; without it "
                  "they are not joined");
    }
};

}  // namespace contraflow::machines

namespace contraflow::config {

template <> struct enum_names<pcie::node_kind> {
    using e = pcie::node_kind;
    static constexpr std::array names{std::pair{e::machine, "machine"}, std::pair{e::root_complex, "root_complex"},
                                      std::pair{e::pcie_switch, "switch"}, std::pair{e::endpoint, "endpoint"}};
};
template <> struct enum_names<machines::device_role> {
    using e = machines::device_role;
    static constexpr std::array names{std::pair{e::gpu, "gpu"}, std::pair{e::nic, "nic"},
                                      std::pair{e::storage, "storage"}, std::pair{e::other, "other"}};
};

}  // namespace contraflow::config
