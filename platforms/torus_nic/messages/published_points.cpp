// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/messages/published_points.h"

#include <algorithm>

namespace contraflow::torus_nic {
namespace {

bool has(const experiment& e, memory_pair p) {
    return std::ranges::find(e.messages.pairs, p) != e.messages.pairs.end();
}

void add(std::vector<face::mark>& marks, bool when, const face::mark& m) {
    if (when) marks.push_back(m);
}

}  // namespace

std::vector<face::mark> published_points(const experiment& e) {
    std::vector<face::mark> marks;
    constexpr double small = 32, large = 1u << 20;  // bytes
    const bool loop_back = e.messages.target == 0, one_way = e.messages.flow == message_flow::one_way;
    const bool fermi = e.node.gpu.preset == gpu::peer_generation::fermi;
    switch (e.kind) {
    case experiment_kind::latency:
        add(marks, has(e, memory_pair::host_host) && !loop_back, {small, 6.3, "published: host to host, 6.3 us"});
        add(marks, has(e, memory_pair::gpu_gpu) && !loop_back && fermi, {small, 8.2, "published: GPU to GPU, 8.2 us"});
        break;
    case experiment_kind::bandwidth:
        add(marks, has(e, memory_pair::host_host) && loop_back && one_way,
            {large, 1.2, "published: host to host, 1.2 GB/s"});
        add(marks, has(e, memory_pair::gpu_gpu) && loop_back && one_way && fermi,
            {large, 1.1, "published: GPU to GPU, 1.1 GB/s"});
        break;
    case experiment_kind::read:
        add(marks, fermi, {large, 0.6, "published: v1, 0.6 GB/s"});
        add(marks, fermi, {large, 1.06, "published: v2, window of 4 KiB, 1.06 GB/s"});
        add(marks, fermi, {large, 1.27, "published: v2, window of 8 KiB, 1.27 GB/s"});
        add(marks, fermi, {large, 1.42, "published: v2, window of 16 KiB, 1.42 GB/s"});
        add(marks, fermi, {large, 1.5, "published: v2, window of 32 KiB, and v3, 1.5 GB/s"});
        break;
    default: break;
    }
    return marks;
}

}  // namespace contraflow::torus_nic
