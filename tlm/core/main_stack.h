// SPDX-License-Identifier: Apache-2.0
// SystemC tells AddressSanitizer when it changes to another stack, but not how large the main one is. From then on the
// sanitizer keeps its marks of frames that an exception has left, and takes them for errors later
// (github.com/google/sanitizers, issue 189).
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define CONTRAFLOW_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CONTRAFLOW_ADDRESS_SANITIZER
#endif
#endif

#ifdef CONTRAFLOW_ADDRESS_SANITIZER
#include <cstddef>

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace contraflow::core {

#ifdef CONTRAFLOW_ADDRESS_SANITIZER
struct stack_bounds {
    void* bottom = nullptr;
    std::size_t bytes = 0;
};

// Asked once a thread: the library reads the whole map of the process for it.
inline const stack_bounds& bounds_of_this_stack() {
    thread_local const stack_bounds known = [] {
        stack_bounds found;
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
        pthread_attr_getstack(&attributes, &found.bottom, &found.bytes);
        pthread_attr_destroy(&attributes);
        return found;
    }();
    return known;
}
#endif

// Call it on the main stack when the kernel has stopped: marks below the caller's frame are removed, and later
// exceptions remove those above. Does nothing without AddressSanitizer.
inline void tell_sanitizer_of_main_stack() {
#ifdef CONTRAFLOW_ADDRESS_SANITIZER
    const stack_bounds& stack = bounds_of_this_stack();
    if (stack.bottom == nullptr) return;
    void* kept = nullptr;
    __sanitizer_start_switch_fiber(&kept, stack.bottom, stack.bytes);
    __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
    constexpr std::size_t deepest = 256u << 10;  // for the kernel and the callbacks that it has called
    auto* const here = static_cast<char*>(__builtin_frame_address(0));
    __asan_unpoison_memory_region(here - deepest, deepest);
#endif
}

}  // namespace contraflow::core
