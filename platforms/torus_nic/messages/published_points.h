// SPDX-License-Identifier: Apache-2.0
// Measured points of APEnet+ that charts show beside the model's curves; nothing of the model reads them.
// Source: R. Ammendola et al., "GPU peer-to-peer techniques applied to a cluster interconnect".
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/experiment/experiment.h"

namespace contraflow::torus_nic {

// Those of that experiment, as far as its flow, memories and routes are the published ones. x: bytes.
// Of latency: us; of bandwidth and read: GB/s.
std::vector<face::mark> published_points(const experiment& e);
// Host overhead of a put, us.
std::vector<face::mark> published_overheads(const experiment& e);
// Sizes at which something was measured to change.
std::vector<face::moment> published_moments(const experiment& e);

}  // namespace contraflow::torus_nic
