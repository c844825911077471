// SPDX-License-Identifier: Apache-2.0
// Items in order, linked through their member `next`, so a queue of any length costs no memory. An item is in only one
// such queue at a time, that of the component that holds it.
#pragma once

#include <cstddef>

namespace contraflow::core {

template <class Item> class linked_fifo {
public:
    bool empty() const { return head_ == nullptr; }
    std::size_t size() const { return size_; }
    Item& front() const { return *head_; }
    void push(Item& last) {
        last.next = nullptr;
        (head_ == nullptr ? head_ : tail_->next) = &last;
        tail_ = &last;
        ++size_;
    }
    void push_front(Item& first) {
        first.next = head_;
        if (head_ == nullptr) tail_ = &first;
        head_ = &first;
        ++size_;
    }
    Item& pop() {
        Item& first = *head_;
        head_ = first.next;
        --size_;
        return first;
    }
    void clear() {
        head_ = nullptr;
        size_ = 0;
    }

private:
    Item* head_ = nullptr;
    Item* tail_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace contraflow::core
