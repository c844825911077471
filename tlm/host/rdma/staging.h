// SPDX-License-Identifier: Apache-2.0
// Messages between GPU memories that pass through host memory: the GPU's DMA engine copies them to or from the host,
// and puts go from host memory to host memory. A message is one piece, or several whose copies and puts overlap.
#pragma once

#include "host/rdma/rdma_process.h"

namespace contraflow::host {

// Registered memory of the host, and the bytes that are copied or sent at a time.
struct staging_buffer {
    std::uint64_t base = 0;   // virtual
    std::uint32_t bytes = 0;  // the longest message
    std::uint32_t piece = 0;  // bytes; if it is the buffer's size, a message is one piece
};

// Puts `r.length` bytes from a GPU's `r.from`; each piece tells the target of its arrival. Ends when all have left.
gpu::task<nic::transmit_status> staged_put(rdma_process& p, rdma_process::put_request r, staging_buffer by);
// Receives the pieces of a message that was put into this buffer, and copies each to the GPU's `to`. Nothing else may
// arrive meanwhile.
gpu::task<> staged_receive(rdma_process& p, std::uint64_t to, std::uint32_t length, staging_buffer by);

}  // namespace contraflow::host
