// SPDX-License-Identifier: Apache-2.0
// For code that catches an exception thrown inside a simulation. AddressSanitizer does not know the stacks of SystemC's
// processes, so it keeps its marks of the frames that are gone, and later takes them for mistakes
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

#include <sanitizer/asan_interface.h>
#endif

namespace contraflow::core {

// Removes the marks below the caller's frame. Does nothing without AddressSanitizer.
inline void forget_unwound_frames() {
#ifdef CONTRAFLOW_ADDRESS_SANITIZER
    constexpr std::size_t deepest = 256u << 10;
    auto* const here = static_cast<char*>(__builtin_frame_address(0));
    __asan_unpoison_memory_region(here - deepest, deepest);
#endif
}

}  // namespace contraflow::core
