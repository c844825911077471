// SPDX-License-Identifier: Apache-2.0
// Who waits for an output, by its channels. Channels take turns; those that want the same one are served in the order
// in which they came, and come again behind the others: so inputs take turns, too.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/linked_fifo.h"
#include "net/torus/input_buffer.h"

namespace contraflow::net {

class output_turns {
public:
    static constexpr unsigned most_channels = 32;

    explicit output_turns(unsigned channels) : waiting_(channels) {}

    bool empty() const { return any_ == 0; }
    bool wanted(unsigned channel) const { return (any_ >> channel & 1) != 0; }
    const input_buffer& first(unsigned channel) const { return waiting_[channel].front(); }
    void add(unsigned channel, input_buffer& b) {
        waiting_[channel].push(b);
        any_ |= 1u << channel;
    }
    // Takes the first buffer of the next channel for which may(channel, words) is true; null: of none.
    template <class May> input_buffer* next(May may) {
        for (std::uint32_t after = any_ >> turn_ << turn_, before = any_ ^ after; (after | before) != 0;) {
            std::uint32_t& from = after != 0 ? after : before;
            const auto channel = static_cast<unsigned>(std::countr_zero(from));
            from &= from - 1;
            auto& list = waiting_[channel];
            if (!may(channel, list.front().first().words)) continue;
            input_buffer& b = list.pop();
            if (list.empty()) any_ &= ~(1u << channel);
            turn_ = channel + 1 < waiting_.size() ? channel + 1 : 0;
            return &b;
        }
        return nullptr;
    }
    void reset() {
        for (auto& list : waiting_) list.clear();
        any_ = 0;
        turn_ = 0;
    }

private:
    std::vector<core::linked_fifo<input_buffer>> waiting_;
    std::uint32_t any_ = 0;  // a bit a channel
    unsigned turn_ = 0;
};

}  // namespace contraflow::net
