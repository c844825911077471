// SPDX-License-Identifier: Apache-2.0
// Callbacks in the order of their times, those of one time in the order in which they came. What is due within a
// microsecond lies in a wheel of slots of a nanosecond, each a list that is put in order when its time comes;
// what is due later lies in a heap. So a callback costs the same however many wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace contraflow::core {

class event_queue {
public:
    using action = void (*)(void* object, std::uint64_t argument);
    struct entry {
        std::uint64_t time_ps;
        std::uint64_t sequence;
        action what;
        void* object;
        std::uint64_t argument;
        bool before(const entry& o) const { return time_ps != o.time_ps ? time_ps < o.time_ps : sequence < o.sequence; }
    };
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    event_queue();

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    // Not before the time that was last given to pop().
    void push(std::uint64_t time_ps, action what, void* object, std::uint64_t argument);
    // The first one, if its time is not after that one.
    bool pop(std::uint64_t until_ps, entry& first) {
        if (next_ == due_.size() && !load(until_ps / slot_ps)) return false;
        if (due_[next_].time_ps > until_ps) return false;
        first = due_[next_++];
        --size_;
        return true;
    }
    // Of the first one; never if there is none.
    std::uint64_t next_time() const;

private:
    // Of a nanosecond: edges of the usual clocks fall together, and their callbacks need no sorting.
    static constexpr std::uint64_t slot_ps = 1000, slots = 1024;
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    struct node {
        entry what;
        std::uint32_t next;
    };
    struct slot {
        std::uint32_t first = nowhere, last = nowhere;
        std::uint64_t least_ps = never;
    };

    // Brings what is due in the next slot that has anything to due_; false if that slot comes after `last`.
    bool load(std::uint64_t last);
    std::uint64_t next_slot() const;
    void insert_due(const entry& e);
    void put_in_order();
    void put_in_slot(std::uint64_t number, const entry& e);
    void push_far(const entry& e);
    void pop_far();

    std::vector<entry> due_;  // of the slots up to now_slot_, in order; those before next_ are done
    std::size_t next_ = 0;
    std::uint64_t now_slot_ = 0;
    std::array<slot, slots> wheel_{};                   // of the numbers after now_slot_
    std::array<std::uint64_t, slots / 64> occupied_{};  // a bit a slot
    std::vector<node> nodes_;
    std::uint32_t free_ = nowhere;
    std::vector<entry> far_;  // a 4-ary heap: shallower than a binary one, and its children share cache lines
    std::uint64_t next_sequence_ = 0;
    std::size_t size_ = 0;
};

}  // namespace contraflow::core
