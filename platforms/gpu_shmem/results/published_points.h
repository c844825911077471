// SPDX-License-Identifier: Apache-2.0
// Measured points of GIO that charts show beside the model's values; nothing of the model reads them.
// Source: K. Hamidouche and M. LeBeane, "GPU initiated OpenSHMEM: correct and efficient intra-kernel networking for
// dGPUs", PPoPP 2020: MI25, 100 Gb/s.
#pragma once

#include <optional>
#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/experiment/experiment.h"

namespace contraflow::gpu_shmem {

// Latency of a put of 4 bytes by that scheme, us; none: nothing was published.
struct published_latency {
    double us = 0;
    const char* label = "";
};
std::optional<published_latency> published_put(scheme s);
// Gain of gio over inter_k in Jacobi on four nodes, in %, for grids of that many points a side and GPU.
std::optional<double> published_jacobi_gain(unsigned side);

}  // namespace contraflow::gpu_shmem
