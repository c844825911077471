// SPDX-License-Identifier: Apache-2.0
// P1: 300 MiB inside a K80, alone, at 11.6 GiB/s.
#include "pcie/model/timeline.h"
#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {

measurement reference_transfer(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    const auto run = pcie::model::run_timeline(pcie::model::network(tree), {send(tree, 0, 1, mib * 300)});
    return {{run.communications.front().time_s() * 1e3},
            "Closed form, 0->1 on T2: 300 MiB / 11.6 GiB/s.",
            "The model was given the bandwidth that the source measured; the source's time is 0.1 % longer.",
            {}};
}

}  // namespace contraflow::validate
