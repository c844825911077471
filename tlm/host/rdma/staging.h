// SPDX-License-Identifier: Apache-2.0
// Messages from and to GPU memory by way of the host's: copied by the GPU's DMA engine, put from host memory, in one
// piece or in several that overlap.
#pragma once

#include "host/rdma/rdma_process.h"

namespace contraflow::host {

// Registered memory of the host, and how much of it is copied or sent at a time.
struct staging_buffer {
    std::uint64_t base = 0;   // virtual
    std::uint32_t bytes = 0;  // the longest message
    std::uint32_t piece = 0;  // bytes; as many as the buffer has: one piece
};

// Puts `r.length` bytes from a GPU's `r.from`; each piece tells the target of its arrival. Ends when all have left.
gpu::task<nic::transmit_status> staged_put(rdma_process& p, rdma_process::put_request r, staging_buffer by);
// Receives the pieces of a message that was put into this buffer, and copies each to the GPU's `to`. Nothing else may
// arrive meanwhile.
gpu::task<> staged_receive(rdma_process& p, std::uint64_t to, std::uint32_t length, staging_buffer by);

}  // namespace contraflow::host
