// SPDX-License-Identifier: Apache-2.0
// A state of the machine as a few words of bits: where each part of it is, and the list of the states that may follow.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace contraflow::ordering::model {

using state_word = std::uint64_t;

// A whole number in a state.
struct bit_field {
    std::uint16_t word = 0;
    std::uint16_t shift = 0;
    state_word mask = 0;  // 0: the number can only be 0, and takes no bits

    state_word get(const state_word* s) const { return (s[word] >> shift) & mask; }
    void set(state_word* s, state_word to) const { s[word] = (s[word] & ~(mask << shift)) | (to << shift); }
};

// Gives each number its place; none lies across two words.
class bit_layout {
public:
    static constexpr unsigned bits_of_word = 64;
    static unsigned bits_for(state_word highest) { return static_cast<unsigned>(std::bit_width(highest)); }

    bit_field up_to(state_word highest) { return bits(bits_for(highest)); }
    bit_field bits(unsigned n) {
        if (n > bits_of_word) throw std::invalid_argument("a field does not fit into a word");
        if (n == 0) return {};
        std::size_t w = 0;
        while (w < used_.size() && used_[w] + n > bits_of_word) ++w;
        if (w == used_.size()) used_.push_back(0);
        const bit_field f{static_cast<std::uint16_t>(w), static_cast<std::uint16_t>(used_[w]),
                          ~state_word{0} >> (bits_of_word - n)};
        used_[w] += n;
        return f;
    }
    unsigned words() const { return used_.empty() ? 1 : static_cast<unsigned>(used_.size()); }

private:
    std::vector<unsigned> used_;  // bits of each word
};

// What happens from one state to the next. `of` is a thread, a line, a variable or a queue.
struct machine_step {
    enum class kind : std::uint8_t {
        instruct,      // a thread carries out its next instruction
        take_effect,   // a pending instruction of a thread, by its number `which`
        leave_l2,      // a line
        leave_ppb,     // a line leaves the read cache
        reach_memory,  // the first write to a variable leaves the write combiner
        read_slot,     // a NIC reads the slot of a queue's next entry
        read_source,   // and its source
        arrive,        // a queue's next message
        completion,    // a queue's next completion
    };
    kind what = kind::instruct;
    std::uint8_t of = 0, which = 0;

    bool leaves_a_cache() const { return what == kind::leave_l2 || what == kind::leave_ppb; }
};

// The states that may follow one state. Cleared and filled again for each; its memory is kept.
class successors {
public:
    successors(unsigned words, std::size_t most) : words_(words), states_(words * most) { steps_.reserve(most); }

    void clear() { steps_.clear(); }
    std::size_t size() const { return steps_.size(); }
    const machine_step& step(std::size_t i) const { return steps_[i]; }
    const state_word* state(std::size_t i) const { return &states_[i * words_]; }
    // Begins as a copy of `from`.
    state_word* add(const machine_step& step, const state_word* from) {
        state_word* const to = &states_[steps_.size() * words_];
        std::memcpy(to, from, words_ * sizeof(state_word));
        steps_.push_back(step);
        return to;
    }

private:
    unsigned words_;
    std::vector<state_word> states_;
    std::vector<machine_step> steps_;
};

}  // namespace contraflow::ordering::model
