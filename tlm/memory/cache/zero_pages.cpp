// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/zero_pages.h"

#include <new>

#include <sys/mman.h>

namespace contraflow::memory {
namespace {

void* map(std::size_t bytes) {
    void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return p;
}

}  // namespace

zero_pages::zero_pages(std::size_t bytes) : bytes_(bytes), begin_(map(bytes)) {}
zero_pages::~zero_pages() { ::munmap(begin_, bytes_); }

}  // namespace contraflow::memory
