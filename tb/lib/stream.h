// SPDX-License-Identifier: Apache-2.0
// Agents for the two ends of a stream with ready/valid, with back-pressure in one of the patterns of a gate.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "lib/gate.h"

namespace contraflow::lib {

// Offers random words; an offered word stays until it is taken.
class stream_source {
public:
    stream_source(std::uint64_t seed, pattern p, unsigned width)
        : random_(seed),
          gate_(random_, p),
          mask_(width < 64 ? (1ull << width) - 1 : ~0ull) {}

    // In every cycle, before valid() and data() are driven. In a `moment` an adversarial source offers a word.
    void begin_cycle(bool moment) {
        if (valid_) return;
        valid_ = gate_.open(random_, moment || random_.below(longest_wait) == 0);
        if (valid_) data_ = random_.next() & mask_;
    }
    // After the cycle.
    void end_cycle(bool ready) { valid_ = valid_ && !ready; }
    void reset() { valid_ = false; }

    bool valid() const { return valid_; }
    std::uint64_t data() const { return data_; }

private:
    static constexpr std::uint64_t longest_wait = 64;  // cycles, on average
    core::random_source random_;
    gate gate_;
    const std::uint64_t mask_;
    bool valid_ = false;
    std::uint64_t data_ = 0;
};

// Takes words. Its ready may come and go.
class stream_sink {
public:
    stream_sink(std::uint64_t seed, pattern p) : random_(seed), gate_(random_, p) {}
    // Whether it takes a word in this cycle. In a `moment` an adversarial sink does.
    bool ready(bool moment) { return gate_.open(random_, moment || random_.below(longest_wait) == 0); }

private:
    static constexpr std::uint64_t longest_wait = 64;
    core::random_source random_;
    gate gate_;
};

}  // namespace contraflow::lib
