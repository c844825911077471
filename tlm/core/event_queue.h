// SPDX-License-Identifier: Apache-2.0
// Callbacks in order of time; callbacks of one time run in order of arrival. Callbacks due within a microsecond are in
// a wheel of slots of one nanosecond, each a list that is sorted when its time comes; later ones are in a heap. So a
// callback costs the same no matter how many wait.
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
    // The time must not be before the one last given to pop().
    void push(std::uint64_t time_ps, action what, void* object, std::uint64_t argument);
    // Takes the first entry if its time is not after `until_ps`.
    bool pop(std::uint64_t until_ps, entry& first) {
        if (next_ == due_.size() && !load(until_ps / slot_ps)) return false;
        if (due_[next_].time_ps > until_ps) return false;
        first = due_[next_++];
        --size_;
        if (next_ < due_.size()) __builtin_prefetch(due_[next_].object);  // while the first one runs
        return true;
    }
    // The time of the first entry; never if there is none.
    std::uint64_t next_time() const;

private:
    // A slot is a nanosecond: edges of common clocks fall together, and their callbacks need no sorting.
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

    // Moves the entries of the next occupied slot to due_; false if that slot comes after `last`.
    bool load(std::uint64_t last);
    std::uint64_t next_slot() const;
    void insert_due(const entry& e);
    void put_in_order();
    void put_in_slot(std::uint64_t number, const entry& e);
    void push_far(const entry& e);
    void pop_far();

    std::vector<entry> due_;  // entries of the slots up to now_slot_, in order; those before next_ are done
    std::size_t next_ = 0;
    std::uint64_t now_slot_ = 0;
    std::array<slot, slots> wheel_{};                   // entries of the slots after now_slot_
    std::array<std::uint64_t, slots / 64> occupied_{};  // a bit for each slot
    std::vector<node> nodes_;
    std::uint32_t free_ = nowhere;
    std::vector<entry> far_;  // a 4-ary heap: shallower than a binary one, and its children share cache lines
    std::uint64_t next_sequence_ = 0;
    std::size_t size_ = 0;
};

}  // namespace contraflow::core
