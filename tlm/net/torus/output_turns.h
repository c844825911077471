// SPDX-License-Identifier: Apache-2.0
// The buffers that wait for an output, listed by the output's channel. Channels take turns; buffers that wait for the
// same channel are served in order of arrival, and queue again after the others, so inputs take turns too. Packets in
// transit have priority over the node's own, up to a number in a row: if both alternated, a ring under full load would
// accept more than it can carry on, and congest.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/linked_fifo.h"
#include "net/torus/input_buffer.h"

namespace contraflow::net {

class output_turns {
public:
    output_turns(unsigned channels, std::uint32_t transit_turns)
        : transit_turns_(transit_turns),
          lists_{list(channels), list(channels)} {}

    bool empty() const { return (lists_[0].any | lists_[1].any) == 0; }
    // Calls visit(channel, buffer) for each channel's first buffers.
    template <class Visit> void each(Visit visit) const {
        for (const list& l : lists_)
            for (unsigned c = 0; c < l.waiting.size(); ++c)
                if (!l.waiting[c].empty()) visit(c, l.waiting[c].front());
    }
    bool wanted(unsigned channel) const { return ((lists_[0].any | lists_[1].any) >> channel & 1) != 0; }
    void add(unsigned channel, input_buffer& b) {
        list& l = lists_[b.feeder == nullptr];
        l.waiting[channel].push(b);
        l.any |= 1u << channel;
    }
    // Takes the next buffer for which may(channel, words) is true; null: there is none.
    template <class May> input_buffer* next(May may) {
        list &transit = lists_[0], &own = lists_[1];
        if (own.any != 0 && passed_ >= transit_turns_)
            if (input_buffer* const b = own.next(may)) {
                passed_ = 0;
                return b;
            }
        if (input_buffer* const b = transit.next(may)) {
            passed_ += own.any != 0;
            return b;
        }
        passed_ = 0;
        return own.next(may);
    }
    void reset() {
        for (list& l : lists_) l = list(static_cast<unsigned>(l.waiting.size()));
        passed_ = 0;
    }

private:
    struct list {
        explicit list(unsigned channels) : waiting(channels) {}
        template <class May> input_buffer* next(May may) {
            for (std::uint32_t after = any >> turn << turn, before = any ^ after; (after | before) != 0;) {
                std::uint32_t& from = after != 0 ? after : before;
                const auto channel = static_cast<unsigned>(std::countr_zero(from));
                from &= from - 1;
                auto& first = waiting[channel];
                if (!may(channel, first.front().first().words)) continue;
                input_buffer& b = first.pop();
                if (first.empty()) any &= ~(1u << channel);
                turn = channel + 1 < waiting.size() ? channel + 1 : 0;
                return &b;
            }
            return nullptr;
        }
        std::vector<core::linked_fifo<input_buffer>> waiting;
        std::uint32_t any = 0;  // a bit for each channel with waiting buffers
        unsigned turn = 0;
    };

    const std::uint32_t transit_turns_;
    std::array<list, 2> lists_;  // in transit, and the node's own
    std::uint32_t passed_ = 0;   // packets in transit that left while one of the node's own waited
};

}  // namespace contraflow::net
