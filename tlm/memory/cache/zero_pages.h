// SPDX-License-Identifier: Apache-2.0
// Zeroed host memory in which only touched pages take room. (A small calloc writes its zeros.)
#pragma once

#include <cstddef>

namespace contraflow::memory {

class zero_pages {
public:
    explicit zero_pages(std::size_t bytes);
    ~zero_pages();
    zero_pages(const zero_pages&) = delete;
    zero_pages& operator=(const zero_pages&) = delete;

    // The next n objects, from the beginning of a page on; of trivial types only.
    template <class T> T* take(std::size_t n) {
        auto* const place = static_cast<std::byte*>(begin_) + used_;
        used_ += size_of<T>(n);
        return reinterpret_cast<T*>(place);
    }
    template <class T> static std::size_t size_of(std::size_t n) { return (n * sizeof(T) + page - 1) / page * page; }

private:
    static constexpr std::size_t page = 4096;
    const std::size_t bytes_;
    void* const begin_;
    std::size_t used_ = 0;
};

}  // namespace contraflow::memory
