// SPDX-License-Identifier: Apache-2.0
// Requests in order, linked through their extensions: a queue of any length costs no memory. A request is in one such
// queue at a time, of the component that holds it.
#pragma once

#include <cstddef>

#include "memory/memory_extension.h"

namespace contraflow::memory {

class payload_fifo {
public:
    bool empty() const { return head_ == nullptr; }
    std::size_t size() const { return size_; }
    memory_extension& front() const { return *head_; }
    void push(memory_extension& last) {
        last.next = nullptr;
        (head_ == nullptr ? head_ : tail_->next) = &last;
        tail_ = &last;
        ++size_;
    }
    void push_front(memory_extension& first) {
        first.next = head_;
        if (head_ == nullptr) tail_ = &first;
        head_ = &first;
        ++size_;
    }
    memory_extension& pop() {
        memory_extension& first = *head_;
        head_ = first.next;
        --size_;
        return first;
    }
    void clear() {
        head_ = nullptr;
        size_ = 0;
    }

private:
    memory_extension* head_ = nullptr;
    memory_extension* tail_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace contraflow::memory
