// SPDX-License-Identifier: Apache-2.0
#include "net/traffic/traffic_pattern.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::net {
namespace {

using coordinates = std::array<unsigned, 3>;

coordinates sizes_of(const std::vector<std::uint32_t>& nodes) {
    coordinates all{1, 1, 1};
    std::copy_n(nodes.begin(), std::min<std::size_t>(3, nodes.size()), all.begin());
    return all;
}

unsigned fixed_target(traffic_pattern pattern, const coordinates& size, std::size_t dimensions, unsigned from) {
    coordinates at{from % size[0], from / size[0] % size[1], from / (size[0] * size[1])};
    switch (pattern) {
    case traffic_pattern::tornado:
        for (std::size_t d = 0; d < 3; ++d) at[d] = (at[d] + (size[d] + 1) / 2 - 1) % size[d];
        break;
    case traffic_pattern::transpose:
        std::rotate(at.begin(), at.begin() + 1, at.begin() + static_cast<std::ptrdiff_t>(dimensions));
        break;
    default: at[0] = (at[0] + 1) % size[0];
    }
    return at[0] + size[0] * (at[1] + size[1] * at[2]);
}

}  // namespace

void traffic_spec::describe(config::fields<traffic_spec>& f) {
    f("pattern", &traffic_spec::pattern)
        .text("uniform: to any other node; tornado: to the one nearly halfway round, in each dimension; transpose: "
              "coordinates are rotated; neighbour: the next in the first dimension; hot_spot: a share to one node");
    f("hot_node", &traffic_spec::hot_node).text("hot_spot: the number of that node");
    f("hot_share", &traffic_spec::hot_share).in(0, 1).text("hot_spot: share of the other nodes' packets that go to it");
    f("packet_words", &traffic_spec::packet_words).in(1, 65536).unit("words").text("words of 16 B in each packet");
    f("warm_up", &traffic_spec::warm_up).in(0, 1'000'000'000).unit("cycles").text("time before anything is measured");
    f("measure", &traffic_spec::measure)
        .in(1, 1'000'000'000)
        .unit("cycles")
        .text("how long; packets created meanwhile are followed to their end, for as long again at most");
}

std::vector<config::problem> problems_of(const traffic_spec& s, const std::vector<std::uint32_t>& nodes) {
    const auto size = sizes_of(nodes);
    const std::string given = fmt::format("[{}]", fmt::join(nodes, ", "));
    const auto unfit = [&](const char* name, const char* why, const char* allowed) -> std::vector<config::problem> {
        return {{fmt::format("pattern {}: {}, and nodes is {}", name, why, given),
                 {{"pattern", allowed}, {"nodes", "another shape"}}}};
    };
    if (size[0] * size[1] * size[2] == 1)
        return {{fmt::format("nodes {} is one node, which has no target", given), {{"nodes", "at least 2 in all"}}}};
    if (s.pattern == traffic_pattern::tornado && *std::max_element(size.begin(), size.end()) < 3)
        return unfit("tornado", "it needs three nodes in a dimension", "another one than tornado");
    if (s.pattern == traffic_pattern::transpose &&
        (nodes.size() < 2 || std::any_of(nodes.begin(), nodes.end(), [&](unsigned n) { return n != nodes[0]; })))
        return unfit("transpose", "it needs two dimensions or three of the same size", "another one than transpose");
    if (s.pattern == traffic_pattern::neighbour && size[0] < 2)
        return unfit("neighbour", "it needs two nodes in the first dimension", "another one than neighbour");
    if (const unsigned count = size[0] * size[1] * size[2];
        s.pattern == traffic_pattern::hot_spot && s.hot_node >= count)
        return {{fmt::format("hot_node {}: there are {} nodes, from 0 on", s.hot_node, count),
                 {{"hot_node", fmt::format("0 to {}", count - 1)}}}};
    return {};
}

traffic_targets::traffic_targets(const traffic_spec& s, const std::vector<std::uint32_t>& nodes) : spec_(s) {
    const auto size = sizes_of(nodes);
    count_ = size[0] * size[1] * size[2];
    if (s.pattern == traffic_pattern::uniform || s.pattern == traffic_pattern::hot_spot) return;
    for (unsigned from = 0; from < count_; ++from) fixed_.push_back(fixed_target(s.pattern, size, nodes.size(), from));
}

unsigned traffic_targets::next(unsigned from, core::random_source& draw) const {
    if (!fixed_.empty()) return fixed_[from];
    if (spec_.pattern == traffic_pattern::hot_spot && from != spec_.hot_node && draw.unit() <= spec_.hot_share)
        return spec_.hot_node;
    return any_other(from, draw);
}

}  // namespace contraflow::net
