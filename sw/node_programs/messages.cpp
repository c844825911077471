// SPDX-License-Identifier: Apache-2.0
#include "node_programs/messages.h"

#include <stdexcept>

#include <fmt/format.h>

#include "host/rdma/staging.h"

namespace contraflow::node_programs {

messages::messages(const node_view& node, program_counts& counts) : node_(node), counts_(counts) {
    for (unsigned rank = 0; rank < node.positions.size(); ++rank) ranks_[node.positions[rank]] = rank;
}

gpu::task<> messages::put(unsigned rank, std::uint64_t from, std::uint64_t to, std::uint32_t length,
                          std::uint16_t tag) {
    host::rdma_process::put_request request{.space = nic::memory_space::gpu0,
                                            .from = node_.base + from,
                                            .target = node_.positions.at(rank),
                                            .to = node_.base + to,
                                            .length = length,
                                            .tag = tag};
    if (node_.mode != peer_to_peer::rx_tx) {
        co_await node_.process.copy({node_.base + from, node_.staging + from, length});
        request.space = nic::memory_space::host;
        request.from = node_.staging + from;
    }
    if (node_.mode == peer_to_peer::off) request.to = node_.staging + to;
    ++counts_.messages;
    counts_.payload_bytes += length;
    sent_.push_back(co_await node_.process.put(request));
}

gpu::task<> messages::all_sent() {
    for (const auto message : std::exchange(sent_, {}))
        if (co_await node_.process.sent(message) != nic::transmit_status::done)
            throw std::runtime_error(fmt::format("rank {}: a put has failed", node_.rank));
}

gpu::task<> messages::arrived(unsigned rank, std::uint16_t tag, std::uint64_t to, std::uint32_t length) {
    for (auto it = here_.find({rank, tag}); it == here_.end(); it = here_.find({rank, tag})) {
        const nic::completion_record r = co_await node_.process.receive();
        ++here_[{ranks_.at(r.source), r.tag}];
    }
    const auto it = here_.find({rank, tag});
    if (--it->second == 0) here_.erase(it);
    if (node_.mode != peer_to_peer::off) co_return;
    co_await host::copy_to_gpu(node_.process, node_.staging + to, node_.base + to, length);
    co_await node_.process.copied();  // a kernel would begin by then
}

}  // namespace contraflow::node_programs
