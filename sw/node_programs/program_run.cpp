// SPDX-License-Identifier: Apache-2.0
#include "node_programs/program_run.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::node_programs {

program_run::program_run(core::scheduler& events, host::rdma_cluster& cluster, node_program_if& program,
                         peer_to_peer mode)
    : events_(events),
      cluster_(cluster),
      program_(program) {
    const std::uint64_t bytes = program.window().count;
    for (unsigned rank = 0; rank < cluster.nodes(); ++rank) positions_.push_back(cluster.position(rank));
    views_.reserve(cluster.nodes());
    for (unsigned rank = 0; rank < cluster.nodes(); ++rank) {
        host::rdma_node& at = cluster.node(rank);
        const auto memory = at.gpu_memory();
        if (bytes > memory.size())
            throw std::invalid_argument(
                fmt::format("the program needs {} bytes of each GPU, which has {}", bytes, memory.size()));
        const auto rest = memory.subspan(bytes);
        std::fill(rest.begin(), rest.end(), untouched);
        program.prepare(rank, memory.first(bytes));
        at.process().register_memory(at.gpu_region(base, 0, nic::whole_pages(nic::memory_space::gpu0, bytes)));
        if (mode != peer_to_peer::rx_tx) {
            const std::uint64_t first = at.free_from(), size = nic::whole_pages(nic::memory_space::host, bytes);
            if (first + size > at.memory().size())
                throw std::invalid_argument(
                    fmt::format("messages through the host's memory need {} bytes of it, and {} "
                                "of {} are free",
                                size, at.memory().size() - first, at.memory().size()));
            at.process().register_memory(at.host_region(staging, first, size));
        }
        views_.push_back({rank, at.process(), positions_, memory.first(bytes), base, mode, staging});
    }
}

void program_run::start() {
    for (const node_view& v : views_) v.process.start(run(v));
}

gpu::host_task program_run::run(const node_view& node) {
    const gpu::host_task program = program_.run(node);
    co_await program;
    ended_ = events_.now();
}

bool program_run::finished() const {
    return std::all_of(views_.begin(), views_.end(), [](const node_view& v) { return v.process.finished(); });
}

std::string program_run::problem() const {
    for (const node_view& v : views_) v.process.rethrow();
    for (const node_view& v : views_)
        if (!v.process.finished()) return fmt::format("rank {} has not ended", v.rank);
    if (std::string wrong = program_.verify(); !wrong.empty()) return wrong;
    for (const node_view& v : views_) {
        const auto rest = cluster_.node(v.rank).gpu_memory().subspan(v.window.size());
        const auto at = std::find_if(rest.begin(), rest.end(), [](std::uint8_t b) { return b != untouched; });
        if (at != rest.end())
            return fmt::format("rank {}: byte {} behind the window was written", v.rank, at - rest.begin());
    }
    return {};
}

}  // namespace contraflow::node_programs
