// SPDX-License-Identifier: Apache-2.0
#include "core/event_queue.h"

#include <algorithm>
#include <bit>

namespace contraflow::core {

event_queue::event_queue() {
    due_.reserve(1024);
    nodes_.reserve(1024);
}

void event_queue::push(std::uint64_t time_ps, action what, void* object, std::uint64_t argument) {
    const entry e{time_ps, next_sequence_++, what, object, argument};
    const std::uint64_t number = time_ps / slot_ps;
    ++size_;
    if (number <= now_slot_)
        insert_due(e);
    else if (number - now_slot_ < slots)
        put_in_slot(number, e);
    else
        push_far(e);
}

std::uint64_t event_queue::next_time() const {
    if (next_ < due_.size()) return due_[next_].time_ps;
    if (size_ == 0) return never;
    const std::uint64_t number = next_slot();
    const std::uint64_t far = far_.empty() ? never : far_.front().time_ps;
    return number == never ? far : std::min(far, wheel_[number % slots].least_ps);
}

// It came last, so it is placed after all others of its time.
void event_queue::insert_due(const entry& e) {
    // An instant may last long, so entries that are done are dropped.
    if (due_.size() == due_.capacity() && next_ > due_.size() / 2) {
        due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
    }
    std::size_t i = due_.size();
    due_.push_back(e);
    for (; i > next_ && due_[i - 1].time_ps > e.time_ps; --i) due_[i] = due_[i - 1];
    due_[i] = e;
}

void event_queue::put_in_slot(std::uint64_t number, const entry& e) {
    std::uint32_t n = free_;
    if (n != nowhere) {
        free_ = nodes_[n].next;
        nodes_[n] = {e, nowhere};
    } else {
        n = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({e, nowhere});
    }
    slot& s = wheel_[number % slots];
    if (s.first == nowhere) {
        s.first = n;
        occupied_[number % slots / 64] |= std::uint64_t{1} << number % 64;
    } else {
        nodes_[s.last].next = n;
    }
    s.last = n;
    s.least_ps = std::min(s.least_ps, e.time_ps);
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
    due_.clear();
    next_ = 0;
    now_slot_ = number;
    slot& s = wheel_[number % slots];
    if (s.first != nowhere) {
        for (std::uint32_t n = s.first; n != nowhere; n = nodes_[n].next) due_.push_back(nodes_[n].what);
        nodes_[s.last].next = free_;
        free_ = s.first;
        s = {};
        occupied_[number % slots / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    while (!far_.empty() && far_.front().time_ps / slot_ps == number) {
        due_.push_back(far_.front());
        pop_far();
    }
    put_in_order();
    return true;
}

// Most slots hold few entries, nearly in order.
void event_queue::put_in_order() {
    constexpr std::size_t few = 32;
    const auto before = [](const entry& a, const entry& b) { return a.before(b); };
    if (due_.size() > few) {
        if (!std::is_sorted(due_.begin(), due_.end(), before)) std::sort(due_.begin(), due_.end(), before);
        return;
    }
    for (std::size_t i = 1; i < due_.size(); ++i) {
        if (!due_[i].before(due_[i - 1])) continue;
        const entry e = due_[i];
        std::size_t j = i;
        for (; j > 0 && e.before(due_[j - 1]); --j) due_[j] = due_[j - 1];
        due_[j] = e;
    }
}

void event_queue::push_far(const entry& e) {
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
    const entry last = far_.back();
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
