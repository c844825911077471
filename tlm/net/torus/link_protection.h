// SPDX-License-Identifier: Apache-2.0
// Protects a link whose wires may damage words: each word has a CRC-32, the sender keeps it until it is acknowledged,
// and sends again from a damaged word on (go-back-N). Bits of real words are flipped, and the CRC decides whether that
// is detected. Nothing here costs a callback: when a packet begins, the intact arrival of each of its words is already
// known.
//   - A damaged word costs a round trip, 2 wire + 1 cycles; words sent meanwhile are dropped and sent again.
//   - With less than a round trip of retry buffer, the sender stops until words are acknowledged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "net/torus/torus_spec.h"
#include "observe/statistics.h"

namespace contraflow::net {

inline constexpr unsigned word_bits = 8 * (torus_word_bytes + 4);  // with its CRC

class link_protection {
public:
    struct transmission {
        core::sim_time header{};  // its first word is on the wire, undamaged
        core::sim_time finish{};  // a word's time after the last one
    };

    link_protection(observe::statistics& group, const std::string& path, const torus_spec& s, unsigned number);

    // A packet's transmission begins now. `bytes` may be empty: then errors affect only its time.
    transmission send(core::sim_time now, std::uint32_t words, std::span<std::uint8_t> bytes) {
        if (!short_of_room_ && until_error_ >= words) {
            until_error_ -= words;
            return {now, now + word_time_ * words};
        }
        return send_word_by_word(now, words, bytes);
    }
    std::uint64_t damaged() const { return damaged_.value(); }
    std::uint64_t resent() const { return resent_.value(); }
    void reset();

private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    transmission send_word_by_word(core::sim_time now, std::uint32_t words, std::span<std::uint8_t> bytes);
    bool next_is_damaged();
    // Whether the receiver detects the damage to that word. If not, the packet keeps the damaged word.
    bool seen(std::span<std::uint8_t> word);

    const core::sim_time word_time_;
    std::uint64_t until_error_;  // words
    const bool short_of_room_;
    const core::sim_time round_trip_;
    const double error_rate_;
    const std::uint64_t seed_;
    core::random_source draw_;
    std::vector<core::sim_time> acknowledged_;  // a ring of the last words, as many as the retry buffer holds
    std::size_t oldest_ = 0;
    observe::counter damaged_, resent_, unseen_;
};

}  // namespace contraflow::net
