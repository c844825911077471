// SPDX-License-Identifier: Apache-2.0
// Queue pairs that a thread of the host uses: rings in the host's memory, a queue pair to each other PE. The thread's
// own time is its user's business; PCIe, the NIC and the network take theirs.
#pragma once

#include <optional>
#include <vector>

#include "host/cluster/queue_pair_cluster.h"

namespace contraflow::shmem {

class host_queues {
public:
    // The index-th queue pairs between PE `rank` and each other one. The cluster has them already.
    host_queues(host::queue_pair_cluster& cluster, unsigned rank, unsigned index);

    // Whether the queue to that PE has a place.
    bool room(unsigned to) const { return at(to).posted - at(to).taken < at(to).end->sizes.entries; }
    // Writes the entry and rings; it needs room. Returns its number.
    std::uint32_t post(unsigned to, nic::work_entry e);
    // The completion of the oldest entry that has none yet, if it is there. One entry has one completion.
    std::optional<nic::queue_completion> take(unsigned to);
    std::uint32_t open(unsigned to) const { return at(to).posted - at(to).taken; }
    const host::queue_pair_end& end(unsigned to) const { return *at(to).end; }

private:
    struct queue {
        const host::queue_pair_end* end = nullptr;
        std::uint32_t posted = 0, taken = 0, told = 0;
    };
    const queue& at(unsigned to) const { return queues_.at(to); }

    host::queue_pair_node& node_;
    std::vector<queue> queues_;  // by PE
};

}  // namespace contraflow::shmem
