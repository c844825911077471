// SPDX-License-Identifier: Apache-2.0
#include "gpu/rdma/rdma_spec.h"

namespace contraflow::gpu {

void rdma_spec::describe(config::fields<rdma_spec>& f) {
    f("queue", &rdma_spec::queue)
        .in(0, 4096)
        .unit("requests")
        .text("requests or responses that each queue of a port takes; 0: none, what the network has no room for waits "
              "at the crossbar");
    f("latency", &rdma_spec::latency)
        .in(core::cycles{0}, core::cycles{100000})
        .text("latency of each of the four paths through the engine, queues included; one a cycle and port");
}

}  // namespace contraflow::gpu
