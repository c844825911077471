// SPDX-License-Identifier: Apache-2.0
#include "core/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>

#include <sys/mman.h>

namespace contraflow::core {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// Many parts lie side by side, so that little is lost at its end. What is not touched takes no room.
constexpr std::size_t least_slab = std::size_t{64} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

// Begins at a huge page's boundary.
std::byte* map(std::size_t bytes, host_pages pages) {
    void* const p =
        ::mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    auto* const all = static_cast<std::byte*>(p);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(all) % huge_page;
    if (before > 0) ::munmap(all, before);
    if (before < huge_page) ::munmap(all + before + bytes, huge_page - before);
    std::byte* const begin = all + before;
    if (pages == host_pages::huge) ::madvise(begin, bytes, MADV_HUGEPAGE);  // a host without them gives small ones
    return begin;
}

}  // namespace

// Memory of several parts, given back to the host with the last of them. One of each kind of pages is open: the next
// part may lie there.
struct host_memory::slab {
    std::byte* begin;
    std::size_t bytes;
    host_pages pages;
    std::size_t used = 0;
    std::size_t parts = 0;

    std::size_t left() const { return bytes - used; }
    static std::mutex& lock() {
        static std::mutex m;
        return m;
    }
    static slab*& open(host_pages pages) {
        static slab* huge = nullptr;
        static slab* touched = nullptr;
        return pages == host_pages::huge ? huge : touched;
    }
};

host_memory::host_memory(std::size_t bytes, host_pages pages) : bytes_(std::max(size_of<std::byte>(bytes), line)) {
    const std::lock_guard guard(slab::lock());
    slab*& open = slab::open(pages);
    slab_ = open;
    if (open == nullptr || open->left() < bytes_) {
        const std::size_t size = std::max(least_slab, whole_pages(bytes_));
        slab_ = new slab{map(size, pages), size, pages};
        if (open == nullptr || size - bytes_ > open->left()) open = slab_;
    }
    begin_ = slab_->begin + slab_->used;
    slab_->used += bytes_;
    ++slab_->parts;
}

host_memory::~host_memory() {
    if (slab_ == nullptr) return;
    const std::lock_guard guard(slab::lock());
    if (--slab_->parts > 0) return;
    // What was used is not zero any more, so nothing further may lie there.
    if (slab*& open = slab::open(slab_->pages); open == slab_) open = nullptr;
    ::munmap(slab_->begin, slab_->bytes);
    delete slab_;
}

}  // namespace contraflow::core
