// SPDX-License-Identifier: Apache-2.0
// The parameters of an RDMA engine.
#pragma once

#include "config/fields.h"

namespace contraflow::gpu {

struct rdma_spec {
    unsigned queue = 0;
    core::cycles latency{0};

    static void describe(config::fields<rdma_spec>& f);
};

}  // namespace contraflow::gpu
