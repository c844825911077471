// SPDX-License-Identifier: Apache-2.0
// Zeroed memory of the host for what a machine keeps from its beginning to its end: caches, memories, payloads. It lies
// in huge pages of 2 MiB where the host gives them, so that an access at random needs no walk of the host's page table.
// Parts that are made one after the other lie side by side. Any thread may make and end them.
#pragma once

#include <cstddef>
#include <utility>

namespace contraflow::core {

enum class host_pages : unsigned char {
    huge,
    touched,  // small ones, of which only those that are touched take room: for what few programs use
};

class host_memory {
public:
    host_memory() = default;  // none
    explicit host_memory(std::size_t bytes, host_pages pages = host_pages::huge);
    ~host_memory();
    host_memory(host_memory&& o) noexcept
        : slab_(std::exchange(o.slab_, nullptr)),
          begin_(o.begin_),
          bytes_(o.bytes_),
          used_(o.used_) {}
    host_memory& operator=(host_memory&& o) noexcept {
        std::swap(slab_, o.slab_);
        begin_ = o.begin_;
        bytes_ = o.bytes_;
        used_ = o.used_;
        return *this;
    }

    // The next n objects, of trivial types only. Their sum with size_of() must fit.
    template <class T> T* take(std::size_t n) {
        std::byte* const place = begin_ + used_;
        used_ += size_of<T>(n);
        return reinterpret_cast<T*>(place);
    }
    template <class T> static constexpr std::size_t size_of(std::size_t n) {
        return (n * sizeof(T) + line - 1) / line * line;
    }
    std::size_t left() const { return bytes_ - used_; }

private:
    struct slab;
    static constexpr std::size_t line = 64;  // of the host's cache

    slab* slab_ = nullptr;
    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t used_ = 0;
};

}  // namespace contraflow::core
