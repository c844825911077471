// SPDX-License-Identifier: Apache-2.0
#include "shmem/host_queues.h"

namespace contraflow::shmem {

host_queues::host_queues(host::queue_pair_cluster& cluster, unsigned rank, unsigned index)
    : node_(cluster.node(rank)),
      queues_(cluster.nodes()) {
    for (unsigned to = 0; to < cluster.nodes(); ++to)
        if (to != rank) queues_[to].end = &cluster.end(rank, to, index);
}

std::uint32_t host_queues::post(unsigned to, nic::work_entry e) {
    queue& q = queues_.at(to);
    e.signalled = true;
    e.number = ++q.posted;
    node_.post(*q.end, e);
    return e.number;
}

std::optional<nic::queue_completion> host_queues::take(unsigned to) {
    queue& q = queues_.at(to);
    if (q.taken == q.posted) return std::nullopt;
    const auto c = node_.completion(*q.end, q.taken + 1);
    if (!c) return std::nullopt;
    ++q.taken;
    if (q.taken - q.told >= q.end->sizes.entries / 2) {
        q.told = q.taken;
        node_.driver().consumed(q.end->number, q.told);
    }
    return c;
}

}  // namespace contraflow::shmem
