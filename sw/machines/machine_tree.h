// SPDX-License-Identifier: Apache-2.0
// From a machine's PCI objects to a configuration's tree.
// hwloc shows bridges: host bridge - root port - upstream port of a switch - its downstream ports - device. Here the
// host bridges and root ports of a package are one root complex, a switch's ports are one switch, and all functions
// behind one link are one endpoint. A link's rate is reported by its lower end, or else by its upper end.
#pragma once

#include <string>
#include <vector>

#include "machines/machine_objects.h"
#include "machines/tree_spec.h"

namespace contraflow::machines {

struct import_options {
    bool all_devices = false;  // also storage, and devices that are no GPU, NIC or accelerator
};

struct imported_tree {
    node_spec tree;
    // The values that hwloc does not report, and the defaults taken instead: one sentence each.
    std::vector<std::string> remarks;
    std::string needs_socket_link;  // a further remark, which holds as long as `socket_link` is not given
};

// `failure`: why there is no tree (then the result's tree is empty).
imported_tree build_machine_tree(const machine_objects& machine, const import_options& options, std::string& failure);

}  // namespace contraflow::machines
