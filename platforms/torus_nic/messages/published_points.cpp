// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/messages/published_points.h"

#include <algorithm>

namespace contraflow::torus_nic {
namespace {

constexpr double small = 32, large = 1u << 20;  // bytes

// The points that belong to some messages, if the experiment has those.
class points {
public:
    explicit points(const experiment& e) : messages_(e.messages) {}

    bool have(memory_pair p, message_route r) const {
        const auto is_among = [](const auto& all, auto one) { return std::ranges::find(all, one) != all.end(); };
        return is_among(messages_.pairs, p) && is_among(messages_.routes, r);
    }
    void add(memory_pair p, message_route r, const face::mark& m) {
        if (have(p, r)) marks.push_back(m);
    }

    std::vector<face::mark> marks;

private:
    const message_spec& messages_;
};

bool has_fermi(const experiment& e) { return e.node.gpu.preset == gpu::peer_generation::fermi; }

std::vector<face::mark> latencies(const experiment& e) {
    if (e.messages.target == 0 || !has_fermi(e)) return {};
    using enum memory_pair;
    using enum message_route;
    points all(e);
    all.add(gpu_gpu, staged, {small, 16.8, "published: GPU to GPU staged, 16.8 us"});
    all.add(gpu_gpu, reference, {small, 17.4, "published: GPU to GPU, InfiniBand, 17.4 us"});
    all.add(gpu_gpu, direct, {small, 8.2, "published: GPU to GPU, 8.2 us"});
    all.add(host_host, direct, {small, 6.3, "published: host to host, 6.3 us"});
    return all.marks;
}

std::vector<face::mark> bandwidths(const experiment& e) {
    using enum memory_pair;
    using enum message_route;
    const bool loop_back = e.messages.target == 0 && e.messages.flow == message_flow::one_way;
    points all(e);
    if (loop_back) all.add(host_host, direct, {large, 1.2, "published: host to host, 1.2 GB/s"});
    // A node of a ring sends and receives, as in loop-back.
    if ((loop_back || e.messages.flow == message_flow::ring) && has_fermi(e))
        all.add(gpu_gpu, direct, {large, 1.1, "published: GPU to GPU in loop-back, 1.1 GB/s"});
    return all.marks;
}

std::vector<face::mark> reads(const experiment& e) {
    if (!has_fermi(e)) return {};
    constexpr double gib = 1.073741824;  // the published GB/s of v2 and v3 are binary: docs/assumptions.md
    return {{large, 0.6, "published: v1, 0.6 GB/s"},
            {large, 1.06 * gib, "published: v2, window of 4 KiB, 1.06 GiB/s"},
            {large, 1.27 * gib, "published: v2, window of 8 KiB, 1.27 GiB/s"},
            {large, 1.42 * gib, "published: v2, window of 16 KiB, 1.42 GiB/s"},
            {large, 1.5 * gib, "published: v2, window of 32 KiB, and v3, 1.5 GiB/s"}};
}

}  // namespace

std::vector<face::mark> published_points(const experiment& e) {
    switch (e.kind) {
    case experiment_kind::latency: return latencies(e);
    case experiment_kind::bandwidth: return bandwidths(e);
    case experiment_kind::read: return reads(e);
    default: return {};
    }
}

std::vector<face::mark> published_overheads(const experiment& e) {
    if (e.messages.target == 0 || !has_fermi(e)) return {};
    using enum memory_pair;
    using enum message_route;
    points all(e);
    all.add(gpu_gpu, staged, {small, 17, "published: GPU to GPU staged, 17 us"});
    all.add(gpu_gpu, direct, {small, 8, "published: GPU to GPU, 8 us"});
    all.add(host_host, direct, {small, 5, "published: host to host, 5 us"});
    return all.marks;
}

std::vector<face::moment> published_moments(const experiment& e) {
    const points all(e);
    const bool both = all.have(memory_pair::gpu_gpu, message_route::direct) &&
                      (all.have(memory_pair::gpu_gpu, message_route::staged) ||
                       all.have(memory_pair::gpu_gpu, message_route::reference));
    if (e.kind != experiment_kind::bandwidth || e.messages.target == 0 || !both || !has_fermi(e)) return {};
    return {{32768, "published, two nodes: direct is faster than staged up to here, 32 KiB"}};
}

}  // namespace contraflow::torus_nic
