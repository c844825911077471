// SPDX-License-Identifier: Apache-2.0
// Which GPU's unit really carried out the requests of which workgroup.
#pragma once

#include <vector>

#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {

// By flattened number of the workgroup, x fastest: the GPUs that ran it, one for each time that they did.
std::vector<std::vector<unsigned>> places_of(unified_bench& bench, unsigned number, gpu::dim3 grid);

// Workgroups that ran on another GPU than in runs of these lengths, on these GPUs, or not once.
std::size_t out_of_place(const std::vector<std::vector<unsigned>>& places, const std::vector<unsigned>& members,
                         const std::vector<std::size_t>& lengths);

}  // namespace contraflow::validate
