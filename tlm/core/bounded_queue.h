// SPDX-License-Identifier: Apache-2.0
// A FIFO of fixed capacity. A full one refuses, so its producer stalls. Never allocates after construction.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace contraflow::core {

template <class T> class bounded_queue {
public:
    explicit bounded_queue(std::size_t capacity) : slots_(capacity) {}

    bool try_push(T value) {
        if (full()) return false;
        slots_[wrap(head_ + size_)] = std::move(value);
        ++size_;
        return true;
    }
    T pop() {
        T value = std::move(slots_[head_]);
        head_ = wrap(head_ + 1);
        --size_;
        return value;
    }
    T& front() { return slots_[head_]; }
    const T& front() const { return slots_[head_]; }
    // The i-th from the front.
    const T& operator[](std::size_t i) const { return slots_[wrap(head_ + i)]; }
    T& operator[](std::size_t i) { return slots_[wrap(head_ + i)]; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == slots_.size(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return slots_.size(); }
    void clear() {
        while (!empty()) pop();
    }

private:
    std::size_t wrap(std::size_t i) const { return i < slots_.size() ? i : i - slots_.size(); }

    std::vector<T> slots_;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace contraflow::core
