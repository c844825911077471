// SPDX-License-Identifier: Apache-2.0
// The GPUs whose units really made the requests of each workgroup.
#pragma once

#include <vector>

#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {

// For each workgroup, by flattened number, x fastest: the GPUs that ran it, one entry for each run.
std::vector<std::vector<unsigned>> places_of(unified_bench& bench, unsigned number, gpu::dim3 grid);

// The number of workgroups outside runs of these lengths on these GPUs, and of those that did not run exactly once.
std::size_t out_of_place(const std::vector<std::vector<unsigned>>& places, const std::vector<unsigned>& members,
                         const std::vector<std::size_t>& lengths);

}  // namespace contraflow::validate
