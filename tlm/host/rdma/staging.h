// SPDX-License-Identifier: Apache-2.0
// Messages between GPU memories that pass through host memory: the GPU's DMA engine copies them to or from the host,
// and puts go from host memory to host memory. A message is one piece, or several whose copies and puts overlap.
#pragma once

#include <vector>

#include "host/rdma/rdma_process.h"

namespace contraflow::host {

// Registered memory of the host, and the bytes that are copied or sent at a time.
struct staging_buffer {
    std::uint64_t base = 0;   // virtual
    std::uint32_t bytes = 0;  // the longest message
    std::uint32_t piece = 0;  // bytes; if it is the buffer's size, a message is one piece
};

// cudaMemcpy to a GPU returns before the copy has ended if it is no longer than this, says the CUDA runtime's
// documentation ("API synchronization behavior"); other copies are waited for.
constexpr std::uint32_t longest_unwaited_copy = 64u << 10;

// To a GPU's memory. Ends as cudaMemcpy does: the GPU has the commands, or the copy has ended.
gpu::task<> copy_to_gpu(rdma_process& p, std::uint64_t from, std::uint64_t to, std::uint32_t length);
// Copies `r.length` bytes from a GPU's `r.from` and puts them; each piece tells the target of its arrival. Ends when
// all descriptors are written.
gpu::task<std::vector<rdma_process::message>> staged_puts(rdma_process& p, rdma_process::put_request r,
                                                          staging_buffer by);
// The same; ends when all have left.
gpu::task<nic::transmit_status> staged_put(rdma_process& p, rdma_process::put_request r, staging_buffer by);
// Receives the pieces of a message that was put into this buffer, and copies each to the GPU's `to`; ends as the last
// copy_to_gpu(). Nothing else may arrive meanwhile.
gpu::task<> staged_receive(rdma_process& p, std::uint64_t to, std::uint32_t length, staging_buffer by);

}  // namespace contraflow::host
