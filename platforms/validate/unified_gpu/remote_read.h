// SPDX-License-Identifier: Apache-2.0
// Reads of one line of another GPU's memory on an otherwise idle machine, as they record their own path.
#pragma once

#include <string>
#include <vector>

#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {

struct remote_read {
    struct pass {
        std::string part;     // the instance's name in published paths
        unsigned at_gpu = 0;  // numbered from 1; 0: of no GPU
        double ns = 0;        // the time until the next instance
    };
    std::vector<pass> path;  // the instances on the path, in order
    double total_ns = 0;

    double ns_in(const std::string& part) const;
};

// The unit of GPU `by` reads that line of the page, which is put on GPU `home` first, in a kernel of its own.
struct read_order {
    unsigned by = 1;
    unsigned line = 0;
};
std::vector<remote_read> remote_reads(const host::unified_machine::spec& s, unsigned home,
                                      const std::vector<read_order>& orders, const run_environment& environment);

// few_units(4), joined by that network; no page moves.
host::unified_machine::spec joined_by(gpu::network_kind kind);

}  // namespace contraflow::validate
