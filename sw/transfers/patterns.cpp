// SPDX-License-Identifier: Apache-2.0
#include "transfers/patterns.h"

#include <algorithm>

#include "core/random.h"

namespace contraflow::transfers {

std::vector<rank_send> halo_sends(const halo_exchange& halo) {
    const auto& n = halo.grid;
    std::vector<rank_send> sends;
    const unsigned ranks = n[0] * n[1] * n[2];
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const std::array<unsigned, 3> at{rank % n[0], rank / n[0] % n[1], rank / n[0] / n[1]};
        const std::array<unsigned, 3> stride{1, n[0], n[0] * n[1]};
        const auto first = static_cast<std::ptrdiff_t>(sends.size());
        for (unsigned d = 0; d < 3; ++d) {
            const unsigned row = rank - at[d] * stride[d];  // the rank at the beginning of this row
            if (n[d] == 1) continue;
            if (at[d] > 0 || halo.periodic)
                sends.push_back({rank, row + (at[d] + n[d] - 1) % n[d] * stride[d], halo.face[d]});
            if (at[d] + 1 < n[d] || halo.periodic)
                sends.push_back({rank, row + (at[d] + 1) % n[d] * stride[d], halo.face[d]});
        }
        std::stable_sort(sends.begin() + first, sends.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    }
    return sends;
}

std::vector<rank_send> scatter_sends(unsigned ranks, unsigned root, core::bytes size) {
    std::vector<rank_send> sends;
    for (unsigned to = 0; to < ranks; ++to)
        if (to != root) sends.push_back({root, to, size});
    return sends;
}

std::vector<rank_send> gather_sends(unsigned ranks, unsigned root, core::bytes size) {
    std::vector<rank_send> sends;
    for (unsigned from = 0; from < ranks; ++from)
        if (from != root) sends.push_back({from, root, size});
    return sends;
}

std::vector<rank_send> all_to_all_sends(unsigned ranks, core::bytes size) {
    std::vector<rank_send> sends;
    for (unsigned from = 0; from < ranks; ++from)
        for (unsigned to = 0; to < ranks; ++to)
            if (to != from) sends.push_back({from, to, size});
    return sends;
}

std::vector<rank_send> ring_sends(unsigned ranks, core::bytes size) {
    std::vector<rank_send> sends;
    for (unsigned from = 0; from < ranks; ++from) sends.push_back({from, (from + 1) % ranks, size});
    return sends;
}

std::vector<rank_send> random_sends(unsigned ranks, std::uint64_t count, core::bytes least, core::bytes most,
                                    std::uint64_t seed) {
    core::random_source draw(seed);
    std::vector<rank_send> sends;
    sends.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto from = static_cast<unsigned>(draw.below(ranks));
        const auto other = static_cast<unsigned>(draw.below(ranks - 1));
        const auto size = least.count + draw.below(most.count - least.count + 1);
        sends.push_back({from, other < from ? other : other + 1, {size}});
    }
    return sends;
}

}  // namespace contraflow::transfers
