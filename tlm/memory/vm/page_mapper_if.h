// SPDX-License-Identifier: Apache-2.0
// A driver's way to map virtual pages to physical ones. Its caller shoots down translations that are held elsewhere
// before it unmaps or remaps a page.
#pragma once

#include <cstdint>

#include "memory/vm/translation.h"

namespace contraflow::memory {

class page_mapper_if {
public:
    virtual ~page_mapper_if() = default;

    // In bytes, a power of two; all addresses below are multiples of it.
    virtual std::uint64_t page_size() const = 0;
    // Maps a virtual page that has no physical one. A table that has no room for it throws table_full or memory_full.
    virtual void map(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) = 0;
    // The page must be mapped; throws std::logic_error otherwise.
    virtual void unmap(std::uint32_t process, std::uint64_t virtual_page) = 0;
    virtual void remap(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) = 0;
    // False if it keeps no rights; every page may then be written.
    virtual bool protect(std::uint32_t /*process*/, std::uint64_t /*virtual_page*/, access_rights) { return false; }
};

}  // namespace contraflow::memory
