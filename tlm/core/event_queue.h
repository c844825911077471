// SPDX-License-Identifier: Apache-2.0
// Callbacks in order of time; callbacks of one time run in order of arrival. Callbacks due within a microsecond are in
// a wheel of slots of one nanosecond, each a list in order of time; later ones are in a heap. A slot with many
// callbacks of many times is spread over lists of 32 ps when its time comes. So a callback costs the same no matter how
// many wait, unless many are due within such a list.
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
        action what;
        void* object;
        std::uint64_t argument;
    };
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    // A place of an entry, until it is taken or removed. Entries far ahead have none.
    using place = std::uint32_t;
    static constexpr place nowhere = std::numeric_limits<place>::max();

    event_queue();

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    // The time must not be before the one last given to pop().
    place push(std::uint64_t time_ps, action what, void* object, std::uint64_t argument) {
        const std::uint64_t number = time_ps / slot_ps;
        ++size_;
        if (number - now_slot_ >= slots && number > now_slot_) {
            push_far({time_ps, what, object, argument});
            return nowhere;
        }
        place n = free_;
        if (n == nowhere) n = new_node();
        node& made = nodes_[n];
        free_ = made.next;
        made.what = {time_ps, what, object, argument};
        if (number <= now_slot_) {
            put_now(n);
        } else {
            occupied_[number % slots / 64] |= std::uint64_t{1} << number % 64;
            words_occupied_ |= 1u << number % slots / 64;
            put(wheel_[number % slots], n);
        }
        return n;
    }
    void remove(place n);
    // Takes the first entry if its time is not after `until_ps`.
    bool pop(std::uint64_t until_ps, entry& first) {
        if (due_.first == nowhere && !load(until_ps / slot_ps)) return false;
        const place n = due_.first;
        node& taken = nodes_[n];
        if (taken.what.time_ps > until_ps) return false;
        first = taken.what;
        due_.first = taken.next;
        if (due_.first == nowhere) {
            due_.last = nowhere;
        } else {
            nodes_[due_.first].previous = nowhere;
            __builtin_prefetch(nodes_[due_.first].what.object);  // while the first one runs
        }
        taken.next = free_;
        free_ = n;
        --size_;
        return true;
    }
    // The time of the first entry; never if there is none.
    std::uint64_t next_time() const;

private:
    // A slot is a nanosecond: edges of common clocks fall together, and their callbacks need no sorting.
    static constexpr std::uint64_t slot_ps = 1000, slots = 1024;
    static constexpr std::uint64_t part_ps = 32, parts = 32;
    static constexpr unsigned few = 8;
    struct node {
        entry what;
        place previous, next;
    };
    struct slot {
        place first = nowhere, last = nowhere;
        bool mixed = false;  // not in order of time
    };
    struct sorted_place {
        std::uint64_t time_ps;
        std::uint32_t order;  // in which it came
        place n;
    };
    struct far_entry : entry {
        std::uint64_t sequence;
        bool before(const far_entry& o) const {
            return time_ps != o.time_ps ? time_ps < o.time_ps : sequence < o.sequence;
        }
    };

    place new_node();
    // Behind all entries of its time. Most lists hold few entries, nearly in order.
    void put(slot& s, place n) {
        if (s.last == nowhere || nodes_[s.last].what.time_ps <= nodes_[n].what.time_ps)
            append(s, n);
        else
            insert(s, n);
    }
    void insert(slot& s, place n);
    void put_now(place n);
    void link(slot& s, place after, place n);
    unsigned part_of(std::uint64_t time_ps) const {
        const std::uint64_t begin = now_slot_ * slot_ps;
        return time_ps < begin ? 0 : static_cast<unsigned>((time_ps - begin) / part_ps);
    }
    slot& list_of(std::uint64_t time_ps);
    void spread();
    void take_part();
    void append(slot& s, place n) {
        nodes_[n].previous = s.last;
        nodes_[n].next = nowhere;
        (s.last == nowhere ? s.first : nodes_[s.last].next) = n;
        s.last = n;
    }
    // Moves the entries of the next part, or of the next occupied slot, to due_; false if that slot comes after `last`.
    bool load(std::uint64_t last);
    void take_far(std::uint64_t number);
    void put_in_order(slot& s);
    std::uint64_t next_slot() const;
    void clear_occupied(std::uint64_t number);
    void push_far(const entry& e);
    void pop_far();

    slot due_;  // entries of the slots up to now_slot_; if it is spread, of the parts before next_part_
    std::uint64_t now_slot_ = 0;
    bool spread_ = false;
    unsigned next_part_ = 0;
    std::uint32_t parts_occupied_ = 0;                  // a bit for each part
    std::array<slot, parts> parts_{};                   // entries of now_slot_ from next_part_ on
    std::array<slot, slots> wheel_{};                   // entries of the slots after now_slot_
    std::array<std::uint64_t, slots / 64> occupied_{};  // a bit for each slot
    std::uint32_t words_occupied_ = 0;                  // a bit for each word of these
    std::vector<node> nodes_;
    place free_ = nowhere;              // linked by `next`
    std::vector<sorted_place> sorted_;  // for put_in_order()
    std::vector<far_entry> far_;        // a 4-ary heap: shallower than a binary one, and its children share cache lines
    std::uint64_t far_pushed_ = 0;
    std::size_t size_ = 0;
};

}  // namespace contraflow::core
