// SPDX-License-Identifier: Apache-2.0
// One run with messages of all sizes between nodes: latency, bandwidth, or reading GPU memory.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/cluster/checked_memory.h"
#include "torus_nic/nodes/node_bench.h"

namespace contraflow::torus_nic {

struct message_variant {
    memory_pair pair = memory_pair::host_host;
    reader how;
    bool reads_gpu = false;  // else `how` does not matter
    message_route route = message_route::direct;

    std::string text() const;  // "gpu_host, v3"; "gpu_gpu, staged"
};
// All of an experiment; staged and reads of GPUs have none where no GPU takes part.
std::vector<message_variant> variants_of(const experiment& e);

struct size_result {
    core::bytes size;
    std::uint64_t messages = 0;  // measured, of all flows
    double latency_us = 0;       // latency: half a round trip, or the whole way of loop-back
    // latency: from a put until the program knows that it has been sent, one after the other, if nothing behind the NIC
    // holds it back; of it the host's own time; and how much longer it takes to a receiver.
    double overhead_us = 0, host_us = 0, held_us = 0;
    double gb_per_s = 0;  // bandwidth, read: of a flow, on average
    double first_us = 0;  // read: the first message alone, from the put until it has been sent
};

// Parts of a message's time, one after the other.
inline constexpr std::array message_stages{"host: put", "descriptor",          "data into the NIC", "packets, torus",
                                           "look-up",   "data out of the NIC", "record, interrupt", "host: completion"};
inline constexpr std::size_t lookup_stage = 4;
struct watched_message {
    core::sim_time begin{};
    std::vector<seen_tlp> tlps;
    std::array<double, message_stages.size()> stages_us{};
    bool lookup_known = false;  // else it is part of the stage before
};

struct message_result : node_result {
    message_variant variant;
    std::vector<size_result> sizes;
    std::optional<watched_message> watched;
    std::uint64_t puts_registered = 0, puts_found = 0;  // whose memory had to be registered, or was
    double link_in = 0, link_out = 0;  // read: share of the NIC's link that TLPs and DLLPs take, of the largest size
};

message_result run_messages(const experiment& e, const message_variant& v, const runner::limits& limits,
                            const run_view& view = {});

// Problems of an experiment for which a node is too small.
std::vector<config::problem> problems_of(const message_spec& m, const host::rdma_node_spec& node,
                                         const net::torus_spec& torus);

}  // namespace contraflow::torus_nic
