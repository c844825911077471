// SPDX-License-Identifier: Apache-2.0
// Holds back one side of a handshake, or arrivals, in one of four patterns.
#pragma once

#include <cstdint>

#include "core/random.h"

namespace contraflow::lib {

enum class pattern : std::uint8_t { none, one_in_n, bursty, adversarial };
inline constexpr unsigned patterns = 4;

class gate {
public:
    gate(core::random_source& r, pattern p) : pattern_(p), n_(2 + static_cast<unsigned>(r.below(4))) {}

    // Whether it is open in this cycle; an adversarial one is open only in the moments that the caller names. Those may
    // never come: who waits for its end sets a limit.
    bool open(core::random_source& r, bool moment) {
        switch (pattern_) {
        case pattern::none: return true;
        case pattern::one_in_n: return r.below(n_) == 0;
        case pattern::bursty:
            if (left_ == 0) {
                open_ = !open_;
                left_ = 1 + r.below(3 * n_);
            }
            --left_;
            return open_;
        case pattern::adversarial: return moment;
        }
        return true;
    }

private:
    const pattern pattern_;
    const unsigned n_;
    std::uint64_t left_ = 0;
    bool open_ = true;
};

}  // namespace contraflow::lib
