// SPDX-License-Identifier: Apache-2.0
// A9, A11: time of small messages, and the host's part of it.
#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using enum torus_nic::memory_pair;

}  // namespace

measurement half_round_trip_of_hosts(const run_environment& environment) {
    return {{half_round_trip_us(host_host, environment)},
            "32 bytes between two nodes, received by firmware. The host's time for a completion, 0.43 us, is fitted to "
            "this figure. The driver's time for a put comes after it has been sent, and is no part of it.",
            {},
            {}};
}

measurement half_round_trip_of_gpus(const run_environment& environment) {
    return {{half_round_trip_us(gpu_gpu, environment)},
            "As A9a.",
            "A GPU as source takes 3.6 us longer than the host: the core's look-up of the source, 3 us by the same "
            "firmware as in A6 and as published for the start of v2, and the GPU's latency. A GPU as target takes 0.3 "
            "us longer: a read makes sure that the data is there before the completion. The published difference, "
            "1.9 us in all, has room for the latency alone.",
            {}};
}

measurement half_round_trip_staged(const run_environment& environment) {
    return {
        {half_round_trip_us(gpu_gpu, environment, staged)},
        "As A9a, from GPU to GPU through both hosts' memories. A copy to the host takes a call of 10 us; one to the "
        "GPU of at most 64 KiB does not hold the program up, as CUDA documents.",
        {},
        {}};
}

measurement overhead_of_hosts(const run_environment& environment) {
    return {
        {overhead_us(host_host, environment)},
        "32 bytes, from a put until the program knows that it has been sent, one after the other. No "
        "receiver holds it back: what leaves the NIC is thrown away. The driver's time for a put, 2.6 us, is fitted to "
        "this figure.",
        {},
        {}};
}

measurement overhead_of_gpus(const run_environment& environment) {
    return {{overhead_us(gpu_gpu, environment)}, "As A11a: 3 us of it are the core's look-up of the source.", {}, {}};
}

measurement overhead_staged(const run_environment& environment) {
    return {{overhead_us(gpu_gpu, environment, staged)}, "As A11a, with the copy to the host.", {}, {}};
}

}  // namespace contraflow::validate
