// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/replacement_tree_plru.h"

#include <bit>

namespace contraflow::memory {
namespace {

// A node's bit says which half the next victim is in: 0 the lower ways, 1 the upper ones. Node n has the children 2n
// and 2n + 1; the root is 1. Ways beyond their number, up to a power of two, are never candidates.
class tree_plru final : public replacement_if {
public:
    explicit tree_plru(const replacement_shape& shape) : leaves_(std::bit_ceil(shape.ways)), trees_(shape.sets) {}
    void used(unsigned set, unsigned way) override {
        std::uint64_t& tree = trees_[set];
        for (unsigned node = leaves_ + way; node > 1; node /= 2) {
            const std::uint64_t bit = std::uint64_t{1} << (node / 2);
            tree = node % 2 == 0 ? tree | bit : tree & ~bit;
        }
    }
    void filled(unsigned set, unsigned way) override { used(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override {
        unsigned node = 1;
        unsigned first = 0;
        for (unsigned half = leaves_ / 2; half > 0; half /= 2) {
            const bool pointed_up = (trees_[set] >> node & 1) != 0;
            const bool up = pointed_up ? any(candidates, first + half, half) : !any(candidates, first, half);
            node = 2 * node + (up ? 1 : 0);
            first += up ? half : 0;
        }
        return first;
    }
    void reset() override { trees_.assign(trees_.size(), 0); }

private:
    static bool any(std::uint64_t candidates, unsigned first, unsigned count) {
        return (candidates >> first & (~std::uint64_t{0} >> (64 - count))) != 0;
    }

    const unsigned leaves_;
    std::vector<std::uint64_t> trees_;
};

}  // namespace

std::unique_ptr<replacement_if> make_tree_plru(const replacement_shape& shape) {
    return std::make_unique<tree_plru>(shape);
}

}  // namespace contraflow::memory
