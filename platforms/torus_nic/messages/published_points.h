// SPDX-License-Identifier: Apache-2.0
// Measured points of APEnet+ that charts show beside the model's curves; nothing of the model reads them.
// Source: R. Ammendola et al., "GPU peer-to-peer techniques applied to a cluster interconnect".
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/experiment/experiment.h"

namespace contraflow::torus_nic {

// Those of that experiment, as far as its flow and memories are the published ones. x: bytes.
std::vector<face::mark> published_points(const experiment& e);

}  // namespace contraflow::torus_nic
