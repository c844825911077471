// SPDX-License-Identifier: Apache-2.0
// torus: latency by hops and parts, and bandwidth, between two nodes of torus_nic.
#include <fmt/format.h>

#include "validate/table/experiments.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using torus_nic::memory_pair;

// The default receive path in hardware: the torus is then a larger part.
const changes by_hardware{"receive.level=tlm"};

answer parts_of_a_message(const run_environment& environment) {
    const auto us = [&](const changes& more) {
        return half_round_trip_us(memory_pair::host_host, environment, joined(by_hardware, more));
    };
    const double before = us({});
    // A cycle is a word of 16 bytes at 4 GB/s, 4 ns.
    return {{0.4, 0.4},
            {us({"torus.wire=104"}) - before, us({"torus.router=108"}) - before},
            fmt::format("{:.4g} us before; one link; the router before it", before)};
}

answer by_torus_rate(const run_environment& environment) {
    answer a;
    for (const unsigned mb : {50u, 100u, 200u}) {
        a.measured.push_back(one_way_gb_per_s(memory_pair::host_host, "256KiB", environment,
                                              joined(by_hardware, {fmt::format("torus.link_rate={}MB/s", mb)})) *
                             1e3);
        // Packets of 4 KiB: header and CRC take two words of 16 bytes.
        a.expected.push_back(mb * 4096.0 / (4096 + 32));
    }
    return a;
}

answer parts_in_the_host(const run_environment& environment) {
    const auto us = [&](const changes& more) {
        return half_round_trip_us(memory_pair::host_host, environment, joined(by_hardware, more));
    };
    const double before = us({});
    return {{0.2}, {us({"node.read_latency=300ns"}) - before}, ""};
}

}  // namespace

std::vector<experiment> torus_experiments() {
    return {
        {"torus.parts", "a message of 32 bytes to the next node, with 100 cycles of 4 ns more of wire, of router",
         "once a wire, once a router", "us", relation::equal, 0.001, parts_of_a_message},
        {"torus.rates", "256 KiB over links of 50, 100 and 200 MB/s", "rate x 4096 / (4096 + header and CRC)", "MB/s",
         relation::equal, 0.02, by_torus_rate},
        {"torus.host_reads", "a message of 32 bytes with 100 ns more for a read of the host's memory",
         "once for the descriptor, once for the data", "us", relation::equal, 0.001, parts_in_the_host},
    };
}

}  // namespace contraflow::validate
