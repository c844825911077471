// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/published_points.h"

namespace contraflow::gpu_shmem {

std::optional<published_latency> published_put(scheme s) {
    constexpr double gio_us = 5.15;
    switch (s) {
    case scheme::gio: return {{gio_us, "published: gio, 5.15 us"}};
    case scheme::cpu: return {{2.8, "published: cpu, 2.8 us"}};
    case scheme::ikn: return {{2 * gio_us, "published: ikn, 2 x gio"}};
    case scheme::inter_k_empty: return {{3 * gio_us, "published: inter_k_empty, up to 3 x gio"}};
    default: return std::nullopt;
    }
}

std::optional<double> published_jacobi_gain(unsigned side) {
    switch (side) {
    case 1024: return 57;
    case 2048: return 40;
    case 4096: return 18;
    default: return std::nullopt;
    }
}

}  // namespace contraflow::gpu_shmem
