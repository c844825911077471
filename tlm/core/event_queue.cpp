// SPDX-License-Identifier: Apache-2.0
#include "core/event_queue.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace contraflow::core {

event_queue::event_queue() { nodes_.reserve(1024); }

event_queue::place event_queue::new_node() {
    nodes_.push_back({{}, nowhere, nowhere});
    return static_cast<place>(nodes_.size() - 1);
}

std::uint64_t event_queue::next_time() const {
    if (due_.first != nowhere) return nodes_[due_.first].what.time_ps;
    if (size_ == 0) return never;
    const auto least_of = [&](const slot& s, std::uint64_t least) {
        for (place n = s.first; n != nowhere; n = s.mixed ? nodes_[n].next : nowhere)
            least = std::min(least, nodes_[n].what.time_ps);
        return least;
    };
    if (parts_occupied_ != 0) return least_of(parts_[static_cast<unsigned>(std::countr_zero(parts_occupied_))], never);
    const std::uint64_t far = far_.empty() ? never : far_.front().time_ps;
    const std::uint64_t number = next_slot();
    return number == never ? far : least_of(wheel_[number % slots], far);
}

void event_queue::link(slot& s, place after, place n) {
    if (after == s.last) return append(s, n);
    node& made = nodes_[n];
    made.previous = after;
    made.next = after == nowhere ? s.first : nodes_[after].next;
    (after == nowhere ? s.first : nodes_[after].next) = n;
    nodes_[made.next].previous = n;
}

// A list with many entries that come in any order is sorted when its time comes.
void event_queue::insert(slot& s, place n) {
    const std::uint64_t time = nodes_[n].what.time_ps;
    place after = s.last;
    if (!s.mixed) {
        for (unsigned steps = 0; after != nowhere && nodes_[after].what.time_ps > time; after = nodes_[after].previous)
            if (++steps > few) {
                s.mixed = true;
                after = s.last;
                break;
            }
    }
    link(s, after, n);
}

void event_queue::put_now(place n) {
    const std::uint64_t time = nodes_[n].what.time_ps;
    if (spread_ && part_of(time) >= next_part_) {
        parts_occupied_ |= 1u << part_of(time);
        return put(parts_[part_of(time)], n);
    }
    place due = due_.last;  // that comes before it
    for (unsigned steps = 0; due != nowhere && nodes_[due].what.time_ps > time; due = nodes_[due].previous)
        if (!spread_ && ++steps > few) {
            spread();
            put_now(n);
            return take_part();
        }
    link(due_, due, n);
}

void event_queue::spread() {
    spread_ = true;
    next_part_ = 0;
    place n = due_.first;
    due_ = {};
    while (n != nowhere) {
        const place next = nodes_[n].next;
        put_now(n);
        n = next;
    }
}

void event_queue::take_part() {
    const auto part = static_cast<unsigned>(std::countr_zero(parts_occupied_));
    parts_occupied_ &= parts_occupied_ - 1;
    next_part_ = part + 1;
    if (parts_[part].mixed) put_in_order(parts_[part]);
    due_ = parts_[part];
    parts_[part] = {};
}

event_queue::slot& event_queue::list_of(std::uint64_t time_ps) {
    const std::uint64_t number = time_ps / slot_ps;
    if (number > now_slot_) return wheel_[number % slots];
    return spread_ && part_of(time_ps) >= next_part_ ? parts_[part_of(time_ps)] : due_;
}

void event_queue::remove(place n) {
    node& gone = nodes_[n];
    const std::uint64_t time = gone.what.time_ps, number = time / slot_ps;
    slot& s = list_of(time);
    (gone.previous == nowhere ? s.first : nodes_[gone.previous].next) = gone.next;
    (gone.next == nowhere ? s.last : nodes_[gone.next].previous) = gone.previous;
    if (s.first == nowhere && &s != &due_) {
        s.mixed = false;
        if (number > now_slot_)
            clear_occupied(number);
        else
            parts_occupied_ &= ~(1u << part_of(time));
    }
    gone.next = free_;
    free_ = n;
    --size_;
}

std::uint64_t event_queue::next_slot() const {
    // From the slot after now_slot_ around to it.
    const auto first = static_cast<unsigned>((now_slot_ + 1) % slots);
    unsigned at = first / 64;
    std::uint64_t word = occupied_[at] >> first % 64 << first % 64;
    if (word == 0) {
        if (words_occupied_ == 0) return never;
        const std::uint32_t behind = words_occupied_ >> at >> 1;
        at = behind != 0 ? at + 1 + static_cast<unsigned>(std::countr_zero(behind))
                         : static_cast<unsigned>(std::countr_zero(words_occupied_));
        word = occupied_[at];
    }
    const unsigned index = at * 64 + static_cast<unsigned>(std::countr_zero(word));
    return now_slot_ + 1 + (index + slots - first) % slots;
}

void event_queue::clear_occupied(std::uint64_t number) {
    std::uint64_t& word = occupied_[number % slots / 64];
    word &= ~(std::uint64_t{1} << number % 64);
    if (word == 0) words_occupied_ &= ~(1u << number % slots / 64);
}

bool event_queue::load(std::uint64_t last) {
    if (size_ == 0) return false;
    if (parts_occupied_ != 0) {
        take_part();
        return true;
    }
    const std::uint64_t far = far_.empty() ? never : far_.front().time_ps / slot_ps;
    const std::uint64_t number = std::min(next_slot(), far);
    if (number > last) return false;
    now_slot_ = number;
    spread_ = false;
    const slot s = std::exchange(wheel_[number % slots], {});
    clear_occupied(number);
    // They came before all entries of the wheel's slot: when they came, it was too far ahead.
    if (far == number) take_far(number);
    if (due_.first == nowhere && !s.mixed) {
        due_ = s;
        return true;
    }
    if (s.mixed) spread();
    for (place n = s.first; n != nowhere;) {
        const place next = nodes_[n].next;
        put_now(n);
        n = next;
    }
    if (due_.first == nowhere) take_part();
    return true;
}

void event_queue::take_far(std::uint64_t number) {
    while (!far_.empty() && far_.front().time_ps / slot_ps == number) {
        const place n = free_ == nowhere ? new_node() : free_;
        free_ = nodes_[n].next;
        nodes_[n].what = far_.front();
        append(due_, n);
        pop_far();
    }
}

void event_queue::put_in_order(slot& s) {
    sorted_.clear();
    for (place n = s.first; n != nowhere; n = nodes_[n].next)
        sorted_.push_back({nodes_[n].what.time_ps, static_cast<std::uint32_t>(sorted_.size()), n});
    std::sort(sorted_.begin(), sorted_.end(), [](const sorted_place& a, const sorted_place& b) {
        return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.order < b.order;
    });
    s = {};
    for (const sorted_place& e : sorted_) append(s, e.n);
}

void event_queue::push_far(const entry& what) {
    const far_entry e{what, far_pushed_++};
    std::size_t i = far_.size();
    far_.push_back(e);
    while (i > 0) {
        const std::size_t parent = (i - 1) / 4;
        if (!e.before(far_[parent])) break;
        far_[i] = far_[parent];
        i = parent;
    }
    far_[i] = e;
}

void event_queue::pop_far() {
    const far_entry last = far_.back();
    far_.pop_back();
    const std::size_t n = far_.size();
    if (n == 0) return;
    std::size_t i = 0;
    for (;;) {
        const std::size_t first = 4 * i + 1;
        if (first >= n) break;
        std::size_t least = first;
        const std::size_t end = std::min(first + 4, n);
        for (std::size_t c = first + 1; c < end; ++c)
            if (far_[c].before(far_[least])) least = c;
        if (!far_[least].before(last)) break;
        far_[i] = far_[least];
        i = least;
    }
    far_[i] = last;
}

}  // namespace contraflow::core
