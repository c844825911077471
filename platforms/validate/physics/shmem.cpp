// SPDX-License-Identifier: Apache-2.0
// shmem: the latency of a put by parts, and the rate of long puts, between two nodes of gpu_shmem.
#include <fmt/format.h>

#include "validate/gpu_shmem/shmem_setup.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

const std::vector<std::string> two_nodes{"nodes=2"};
std::vector<std::string> two_nodes_and(const std::string& more) { return {"nodes=2", more}; }

answer parts_of_a_put(const run_environment& environment) {
    const auto us = [&](const std::vector<std::string>& sets) { return put_us({4}, sets, environment); };
    const double before = us(two_nodes);
    answer a{{4, 4, 2, 1}, {}, fmt::format("{:.4g} us before", before)};
    for (const char* const more : {"network.propagation=1010ns", "network.pipeline=1330ns", "node.nic.receive=1050ns",
                                   "node.nic.processing=1130ns"})
        a.measured.push_back(us(two_nodes_and(more)) - before);
    return a;
}

answer by_network_rate(const run_environment& environment) {
    answer a;
    for (const unsigned rate : {15u, 20u, 40u}) {
        const auto sets = two_nodes_and(fmt::format("network.rate={}Gb/s", rate));
        a.measured.push_back(put_gb_per_s(sets, environment));
        // Beside a payload of 4 KiB: 82 bytes of the network and 36 of the transport.
        a.expected.push_back(rate / 8.0 * 4096 / (4096 + 82 + 36));
    }
    return a;
}

}  // namespace

std::vector<experiment> shmem_experiments() {
    return {
        {"shmem.parts", "a put of 4 bytes, with 1 us more of a link, its ends, the NIC's receipt, its processing",
         "two links and their ends there and back; receipt of packet and acknowledgement; processing once; within a "
         "poll",
         "us", relation::equal, 0.02, parts_of_a_put},
        {"shmem.rates", "puts of 64 KiB over a network of 15, 20 and 40 Gb/s", "rate x 4096 / (4096 + headers)", "GB/s",
         relation::equal, 0.02, by_network_rate},
    };
}

}  // namespace contraflow::validate
