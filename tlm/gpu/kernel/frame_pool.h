// SPDX-License-Identifier: Apache-2.0
// Memory for coroutine frames: freed frames are kept by size, so that starting a wavefront rarely allocates. There is
// one pool for each thread; it has no effect on results.
#pragma once

#include <array>
#include <cstddef>

namespace contraflow::gpu {

// Under AddressSanitizer every frame comes from the allocator and goes back to it, so that it detects use after the
// end.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool frames_are_reused = false;
#elif defined(__has_feature)
inline constexpr bool frames_are_reused = !__has_feature(address_sanitizer);
#else
inline constexpr bool frames_are_reused = true;
#endif

class frame_pool {
public:
    static frame_pool& of_this_thread();

    frame_pool() = default;
    ~frame_pool();
    frame_pool(const frame_pool&) = delete;
    frame_pool& operator=(const frame_pool&) = delete;

    void* take(std::size_t bytes);
    void give_back(void* frame, std::size_t bytes) noexcept;

private:
    struct free_frame {
        free_frame* next;
    };
    static constexpr std::size_t granule = 64;
    static constexpr std::size_t classes = 512;  // larger frames than 32 KiB go to the allocator

    static std::size_t class_of(std::size_t bytes) { return (bytes + granule - 1) / granule; }

    std::array<free_frame*, classes> free_{};
};

}  // namespace contraflow::gpu
