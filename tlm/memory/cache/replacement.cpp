// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/replacement.h"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/random.h"

namespace contraflow::memory {
namespace {

// The order in which the lines of each set were last put in front: a ring of the ways and a place before the first one.
// At first they are in the order of their numbers.
class use_order {
public:
    explicit use_order(const replacement_shape& shape) : shape_(shape) {}

    void put_in_front(unsigned set, unsigned way) {
        if (ring_.empty()) start();  // a cache without accesses has none
        place* const ring = of(set);
        const auto front = static_cast<std::uint8_t>(shape_.ways);
        if (ring[front].next == way) return;
        ring[ring[way].before].next = ring[way].next;
        ring[ring[way].next].before = ring[way].before;
        ring[way] = {ring[front].next, front};
        ring[ring[front].next].before = static_cast<std::uint8_t>(way);
        ring[front].next = static_cast<std::uint8_t>(way);
    }
    unsigned last(unsigned set, std::uint64_t candidates) {
        if (ring_.empty()) start();
        const place* const ring = of(set);
        unsigned way = ring[shape_.ways].before;
        while ((candidates >> way & 1) == 0) way = ring[way].before;
        return way;
    }
    void reset() { ring_.clear(); }

private:
    struct place {
        std::uint8_t next = 0, before = 0;  // further from the front, and closer to it
    };
    place* of(unsigned set) { return &ring_[std::size_t{set} * (shape_.ways + 1)]; }
    void start() {
        const unsigned places = shape_.ways + 1;
        ring_.resize(std::size_t{shape_.sets} * places);
        for (std::size_t i = 0; i < ring_.size(); ++i) {
            const auto at = static_cast<unsigned>(i % places);
            ring_[i] = {static_cast<std::uint8_t>((at + 1) % places),
                        static_cast<std::uint8_t>((at + places - 1) % places)};
        }
    }

    const replacement_shape shape_;
    std::vector<place> ring_;
};

class lru final : public replacement_if {
public:
    explicit lru(const replacement_shape& shape) : order_(shape) {}
    void used(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    void filled(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override { return order_.last(set, candidates); }
    void reset() override { order_.reset(); }

private:
    use_order order_;
};

class fifo final : public replacement_if {
public:
    explicit fifo(const replacement_shape& shape) : order_(shape) {}
    void used(unsigned, unsigned) override {}
    void filled(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override { return order_.last(set, candidates); }
    void reset() override { order_.reset(); }

private:
    use_order order_;
};

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

class random_replacement final : public replacement_if {
public:
    explicit random_replacement(const replacement_shape& shape) : start_(shape.seed), random_(start_) {}
    void used(unsigned, unsigned) override {}
    void filled(unsigned, unsigned) override {}
    unsigned victim(unsigned, std::uint64_t candidates) override {
        auto skip = static_cast<unsigned>(random_.next() % static_cast<unsigned>(std::popcount(candidates)));
        for (; skip > 0; --skip) candidates &= candidates - 1;
        return static_cast<unsigned>(std::countr_zero(candidates));
    }
    void reset() override { random_ = start_; }

private:
    const core::random_source start_;
    core::random_source random_;
};

template <class Policy> std::unique_ptr<replacement_if> make(const replacement_shape& shape) {
    return std::make_unique<Policy>(shape);
}

}  // namespace

const std::vector<replacement_policy>& replacement_policies() {
    static const std::vector<replacement_policy> all{
        {"lru", "the line goes that was not used for longest", make<lru>},
        {"fifo", "the line goes that came first", make<fifo>},
        {"random", "lots are drawn", make<random_replacement>},
        {"tree_plru", "a tree of bits points away from what was used last", make<tree_plru>},
    };
    return all;
}

bool is_replacement(const std::string& name) {
    for (const auto& p : replacement_policies())
        if (p.name == name) return true;
    return false;
}

std::string known_replacements() {
    std::vector<std::string_view> names;
    for (const auto& p : replacement_policies()) names.push_back(p.name);
    return fmt::format("one of {}", fmt::join(names, ", "));
}

std::unique_ptr<replacement_if> make_replacement(std::string_view name, const replacement_shape& shape) {
    std::string known;
    for (const auto& policy : replacement_policies()) {
        if (policy.name == name) return policy.make(shape);
        known += fmt::format(" {}", policy.name);
    }
    throw std::invalid_argument(fmt::format("replacement policy '{}' is none of{}", name, known));
}

}  // namespace contraflow::memory
