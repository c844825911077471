// SPDX-License-Identifier: Apache-2.0
// A7, A8, A10, A12: bandwidth of a node to itself, and between two.
#include <limits>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using enum torus_nic::memory_pair;

const char* const one_after_the_other =
    "Two nodes; each message follows when the one before has been sent. (With two on their way, GPUs as sources reach "
    "their plateau at 8 KiB.)";

}  // namespace

measurement loop_back_of_the_host(const run_environment& environment) {
    return {{loop_back_gb_per_s(host_host, environment)},
            fmt::format("One node, messages of 1 MiB, 8 on their way, received by firmware. Its two buffers are "
                        "registered, the source's first: a look-up takes 3.5 us, 0.5 us more than with one (A6). With "
                        "the target's first: {:.2f} GB/s.",
                        loop_back_gb_per_s(host_host, environment, {"messages.target_first=true"})),
            {},
            {}};
}

measurement loop_back_of_the_gpu(const run_environment& environment) {
    return {
        {loop_back_gb_per_s(gpu_gpu, environment)},
        fmt::format("As A7a, by v2. The time of a window's move, 5.4 us, is fitted to this figure; without it: {:.2f} "
                    "GB/s, as the core also looks up the source's pages and starts windows.",
                    loop_back_gb_per_s(gpu_gpu, environment, {"node.gpu.window_move=0ns"})),
        {},
        {}};
}

measurement loss_into_the_gpu(const run_environment& environment) {
    const double host = one_way_gb_per_s(host_host, "1MiB", environment);
    return {
        {(one_way_gb_per_s(host_gpu, "1MiB", environment) / host - 1) * 100},
        fmt::format("Messages of 1 MiB from a host to a GPU, against {:.2f} GB/s from host to host. {}", host,
                    one_after_the_other),
        "Firmware looks the next packets up while a window moves, and the writes that have waited catch up: PCIe is "
        "faster than the firmware. A page of 64 KiB in the GPU has fewer ends of pages than 4 KiB in the host.",
        {}};
}

measurement small_messages_by_source(const run_environment& environment) {
    const double host = one_way_gb_per_s(host_gpu, "8KiB", environment),
                 gpu = one_way_gb_per_s(gpu_gpu, "8KiB", environment);
    return {
        {host / gpu},
        fmt::format("Messages of 8 KiB into a GPU: {:.2f} GB/s from the host, {:.2f} from a GPU. {}", host, gpu,
                    one_after_the_other),
        "A GPU as source costs 3 us of the core and 2 us of head latency a message; the published factor would need "
        "4 us more.",
        {}};
}

measurement plateau_of_gpu_sources(const run_environment& environment) {
    const double most = one_way_gb_per_s(gpu_gpu, "1MiB", environment);
    double below = 0;
    bool reached = false;
    std::string rates;
    for (const int kib : {8, 16, 32, 64, 128}) {
        const double rate = one_way_gb_per_s(gpu_gpu, fmt::format("{}KiB", kib), environment);
        rates += fmt::format("{}{:.2f}", rates.empty() ? "" : ", ", rate);
        reached = rate >= 0.98 * most;
        if (!reached) below = kib;
    }
    return {
        {reached ? below : std::numeric_limits<double>::infinity()},
        fmt::format("GPU to GPU at 8, 16, 32, 64 and 128 KiB: {} GB/s; the last not within 2 % of {:.2f} at 1 MiB. {}",
                    rates, most, one_after_the_other),
        {},
        {}};
}

measurement crossing_with_staging(const run_environment& environment) {
    double crossing = std::numeric_limits<double>::infinity();
    std::string rates;
    double before_size = 0, before_gain = 0;
    for (const int kib : {8, 16, 32, 64, 256, 1024}) {
        const std::string size = fmt::format("{}KiB", kib);
        const double direct = one_way_gb_per_s(gpu_gpu, size, environment),
                     through = one_way_gb_per_s(gpu_gpu, size, environment, staged);
        rates += fmt::format("{}{:.2f} / {:.2f}", rates.empty() ? "" : ", ", direct, through);
        const double gain = through - direct;
        // On the straight line between two sizes.
        if (gain >= 0 && crossing > kib)
            crossing = before_size == 0 ? kib : before_size + (kib - before_size) * -before_gain / (gain - before_gain);
        before_size = kib;
        before_gain = gain;
    }
    return {
        {crossing},
        fmt::format("GPU to GPU directly / through both hosts' memories, in pieces of 64 KiB that overlap, at 8, 16, "
                    "32, 64, 256 and 1024 KiB: {} GB/s. {}",
                    rates, one_after_the_other),
        "Up to 1 MiB there is none: the firmware that receives limits both ways, and into a GPU it is not slower "
        "(A8a). With the published loss of 10 % into GPUs the two would cross beyond 32 KiB.",
        {}};
}

measurement gain_of_v3(const run_environment& environment) {
    const changes v3{"node.transmit.generation=v3"};
    const auto gain = [](double with, double without) { return (with / without - 1) * 100; };
    return {
        {gain(loop_back_gb_per_s(gpu_gpu, environment, v3), loop_back_gb_per_s(gpu_gpu, environment)),
         gain(one_way_gb_per_s(gpu_gpu, "1MiB", environment, v3), one_way_gb_per_s(gpu_gpu, "1MiB", environment))},
        "Messages of 1 MiB from GPU to GPU by v3 against v2, 32 KiB: in loop-back, where one core starts windows and "
        "looks received packets up, and between two nodes, where the receiving core is the limit.",
        {},
        {}};
}

}  // namespace contraflow::validate
