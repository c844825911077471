// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/frame_pool.h"

#include <new>

namespace contraflow::gpu {
frame_pool& frame_pool::of_this_thread() {
    thread_local frame_pool pool;
    return pool;
}

frame_pool::~frame_pool() {
    for (free_frame* head : free_)
        while (head) {
            free_frame* next = head->next;
            ::operator delete(head);
            head = next;
        }
}

void* frame_pool::take(std::size_t bytes) {
    const std::size_t c = class_of(bytes);
    if (c >= classes) return ::operator new(bytes);
    if (free_frame* head = free_[c]) {
        free_[c] = head->next;
        return head;
    }
    return ::operator new(c* granule);
}

void frame_pool::give_back(void* frame, std::size_t bytes) noexcept {
    const std::size_t c = class_of(bytes);
    if (!frames_are_reused || c >= classes) {
        ::operator delete(frame);
        return;
    }
    free_[c] = new (frame) free_frame{free_[c]};
}

}  // namespace contraflow::gpu
