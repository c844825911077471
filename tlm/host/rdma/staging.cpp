// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/staging.h"

#include <algorithm>
#include <stdexcept>

namespace contraflow::host {
namespace {

void check(std::uint32_t length, const staging_buffer& by) {
    if (by.piece == 0 || length > by.bytes)
        throw std::invalid_argument("staging: the message is longer than the buffer, or a piece has no bytes");
}

}  // namespace

gpu::task<> copy_to_gpu(rdma_process& p, std::uint64_t from, std::uint64_t to, std::uint32_t length) {
    co_await p.copy({from, to, length, length > longest_unwaited_copy});
}

gpu::task<std::vector<rdma_process::message>> staged_puts(rdma_process& p, rdma_process::put_request r,
                                                          staging_buffer by) {
    check(r.length, by);
    std::vector<rdma_process::message> pieces;
    for (std::uint32_t done = 0; done < r.length; done += by.piece) {
        const std::uint32_t length = std::min(by.piece, r.length - done);
        co_await p.copy({r.from + done, by.base + done, length});
        pieces.push_back(
            co_await p.put({nic::memory_space::host, by.base + done, r.target, r.to + done, length, r.tag, true}));
    }
    co_return pieces;
}

gpu::task<nic::transmit_status> staged_put(rdma_process& p, rdma_process::put_request r, staging_buffer by) {
    const std::vector<rdma_process::message> pieces = co_await staged_puts(p, r, by);
    auto how = nic::transmit_status::done;
    for (const auto m : pieces) {
        const nic::transmit_status one = co_await p.sent(m);
        if (how == nic::transmit_status::done) how = one;
    }
    co_return how;
}

gpu::task<> staged_receive(rdma_process& p, std::uint64_t to, std::uint32_t length, staging_buffer by) {
    check(length, by);
    for (std::uint32_t done = 0; done < length; done += by.piece) {
        co_await p.receive();
        co_await copy_to_gpu(p, by.base + done, to + done, std::min(by.piece, length - done));
    }
}

}  // namespace contraflow::host
