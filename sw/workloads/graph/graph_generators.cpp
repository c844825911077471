// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/graph_generators.h"

#include <limits>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "core/random.h"

namespace contraflow::workloads {
namespace {

constexpr double quarter_a = 0.57, quarter_b = 0.19, quarter_c = 0.19;  // d: the rest, 0.05

std::uint32_t random_weight(core::random_source& random) {
    return static_cast<std::uint32_t>(1 + random.below(heaviest_edge));
}

}  // namespace

std::vector<std::uint32_t> shuffled_numbers(std::uint32_t n, core::random_source& random) {
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    core::shuffle(numbers, random);
    return numbers;
}

rmat_place rmat_draw(unsigned scale, core::random_source& random) {
    rmat_place p;
    for (unsigned level = 0; level < scale; ++level) {
        const double r = random.unit();
        const bool low = r > quarter_a + quarter_b;  // one of the lower two quarters of the matrix
        const bool right = low ? r > quarter_a + quarter_b + quarter_c : r > quarter_a;
        p.from = p.from << 1 | (low ? 1 : 0);
        p.to = p.to << 1 | (right ? 1 : 0);
    }
    return p;
}

edge_list rmat_graph(unsigned scale, unsigned edge_factor, std::uint64_t seed) {
    if (scale > 26) throw std::invalid_argument(fmt::format("an R-MAT graph of scale {}: at most 26", scale));
    core::random_source random(seed);
    edge_list list;
    list.vertices = 1u << scale;
    const std::vector<std::uint32_t> name = shuffled_numbers(list.vertices, random);
    const std::uint64_t edges = std::uint64_t{list.vertices} * edge_factor;
    list.edges.reserve(edges);
    for (std::uint64_t i = 0; i < edges; ++i) {
        const rmat_place p = rmat_draw(scale, random);
        list.edges.push_back({name[p.from], name[p.to], random_weight(random)});
    }
    return list;
}

edge_list grid_graph(std::uint32_t width, std::uint32_t height, std::uint64_t seed) {
    if (std::uint64_t{width} * height > std::numeric_limits<std::uint32_t>::max() / 4)
        throw std::invalid_argument(fmt::format("a grid of {} by {} vertices is too large", width, height));
    core::random_source random(seed);
    edge_list list;
    list.vertices = width * height;
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t v = y * width + x;
            if (x + 1 < width) list.edges.push_back({v, v + 1, random_weight(random)});
            if (y + 1 < height) list.edges.push_back({v, v + width, random_weight(random)});
        }
    }
    return list;
}

}  // namespace contraflow::workloads
