// SPDX-License-Identifier: Apache-2.0
#include "core/event_queue.h"

#include <algorithm>
#include <bit>

namespace contraflow::core {

event_queue::event_queue() { nodes_.reserve(1024); }

event_queue::place event_queue::new_node() {
    nodes_.push_back({{}, nowhere, nowhere});
    return static_cast<place>(nodes_.size() - 1);
}

std::uint64_t event_queue::next_time() const {
    if (due_.first != nowhere) return nodes_[due_.first].what.time_ps;
    if (size_ == 0) return never;
    std::uint64_t least = far_.empty() ? never : far_.front().time_ps;
    const std::uint64_t number = next_slot();
    if (number == never) return least;
    const slot& s = wheel_[number % slots];
    for (place n = s.first; n != nowhere; n = s.mixed ? nodes_[n].next : nowhere)
        least = std::min(least, nodes_[n].what.time_ps);
    return least;
}

// Most slots hold few entries, nearly in order. A slot of the wheel with many is sorted when its time comes.
void event_queue::insert(slot& s, place n) {
    constexpr unsigned few = 8;
    const std::uint64_t time = nodes_[n].what.time_ps;
    place after = s.last;
    if (!s.mixed) {
        const bool sorted_now = &s == &due_;
        for (unsigned steps = 0; after != nowhere && nodes_[after].what.time_ps > time; after = nodes_[after].previous)
            if (!sorted_now && ++steps > few) {
                s.mixed = true;
                after = s.last;
                break;
            }
    }
    if (after == s.last) return append(s, n);
    node& made = nodes_[n];
    made.previous = after;
    made.next = after == nowhere ? s.first : nodes_[after].next;
    (after == nowhere ? s.first : nodes_[after].next) = n;
    nodes_[made.next].previous = n;
}

void event_queue::remove(place n) {
    node& gone = nodes_[n];
    const std::uint64_t number = gone.what.time_ps / slot_ps;
    slot& s = number <= now_slot_ ? due_ : wheel_[number % slots];
    (gone.previous == nowhere ? s.first : nodes_[gone.previous].next) = gone.next;
    (gone.next == nowhere ? s.last : nodes_[gone.next].previous) = gone.previous;
    if (s.first == nowhere && &s != &due_) {
        s.mixed = false;
        occupied_[number % slots / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    gone.next = free_;
    free_ = n;
    --size_;
}

std::uint64_t event_queue::next_slot() const {
    // From the slot after now_slot_ around to it.
    const auto first = static_cast<unsigned>((now_slot_ + 1) % slots);
    std::uint64_t word = occupied_[first / 64] >> first % 64 << first % 64;
    for (unsigned w = 0; w <= slots / 64; ++w) {
        const unsigned at = (first / 64 + w) % (slots / 64);
        if (w > 0) word = occupied_[at];
        if (word == 0) continue;
        const unsigned index = at * 64 + static_cast<unsigned>(std::countr_zero(word));
        return now_slot_ + 1 + (index + slots - first) % slots;
    }
    return never;
}

bool event_queue::load(std::uint64_t last) {
    if (size_ == 0) return false;
    const std::uint64_t far = far_.empty() ? never : far_.front().time_ps / slot_ps;
    const std::uint64_t number = std::min(next_slot(), far);
    if (number > last) return false;
    now_slot_ = number;
    slot& s = wheel_[number % slots];
    if (s.first != nowhere) {
        if (s.mixed) put_in_order(s);
        due_ = s;
        s = {};
        occupied_[number % slots / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    if (far == number) load_far(number);
    return true;
}

// They came before all entries of the wheel's slot: when they came, it was too far ahead.
void event_queue::load_far(std::uint64_t number) {
    const slot later = due_;
    due_ = {};
    while (!far_.empty() && far_.front().time_ps / slot_ps == number) {
        const place n = free_ == nowhere ? new_node() : free_;
        free_ = nodes_[n].next;
        nodes_[n].what = far_.front();
        append(due_, n);
        pop_far();
    }
    for (place n = later.first; n != nowhere;) {
        const place next = nodes_[n].next;
        insert(due_, n);
        n = next;
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
