// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/replacement_random.h"

#include <bit>

namespace contraflow::memory {
namespace {

class random_replacement final : public replacement_if {
public:
    explicit random_replacement(const replacement_shape& shape) : seed_(shape.seed), state_(shape.seed) {}
    void used(unsigned, unsigned) override {}
    void filled(unsigned, unsigned) override {}
    unsigned victim(unsigned, std::uint64_t candidates) override {
        auto skip = static_cast<unsigned>(draw() % static_cast<unsigned>(std::popcount(candidates)));
        for (; skip > 0; --skip) candidates &= candidates - 1;
        return static_cast<unsigned>(std::countr_zero(candidates));
    }
    void reset() override { state_ = seed_; }

private:
    // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    std::uint64_t draw() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    const std::uint64_t seed_;
    std::uint64_t state_;
};

}  // namespace

std::unique_ptr<replacement_if> make_random(const replacement_shape& shape) {
    return std::make_unique<random_replacement>(shape);
}

}  // namespace contraflow::memory
