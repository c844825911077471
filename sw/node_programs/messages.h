// SPDX-License-Identifier: Apache-2.0
// Messages between windows of nodes: puts from the node's own window into another rank's, and arrivals by rank and tag.
// Where the mode asks for it they go through the host's memory, at the same offsets.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "node_programs/node_program_if.h"

namespace contraflow::node_programs {

// A message's tag from a number that only grows; it repeats after 4096.
inline std::uint16_t tag_of(unsigned number) { return static_cast<std::uint16_t>(number % host::rdma_process::tags); }

class messages {
public:
    // Adds the messages that it sends to `counts`.
    messages(const node_view& node, program_counts& counts);

    // Ends when the descriptors are written, and before that a copy to the host if there is one. `from` and `to` are
    // offsets in the windows.
    gpu::task<> put(unsigned rank, std::uint64_t from, std::uint64_t to, std::uint32_t length, std::uint16_t tag);
    // Ends when all puts have been read from the node's own window; throws std::runtime_error if one has failed.
    gpu::task<> all_sent();
    // Ends when a message with that tag has arrived from that rank and is in the own window. Each arrival ends one
    // call. `to` and `length` are the put's; a completion tells of its last packet only.
    gpu::task<> arrived(unsigned rank, std::uint16_t tag, std::uint64_t to, std::uint32_t length);

private:
    const node_view& node_;
    program_counts& counts_;
    std::vector<host::rdma_process::message> sent_;
    std::map<std::pair<unsigned, std::uint16_t>, unsigned> here_;  // arrivals for which the program has not waited yet
    std::map<nic::position, unsigned> ranks_;
};

}  // namespace contraflow::node_programs
