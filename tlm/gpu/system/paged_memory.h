// SPDX-License-Identifier: Apache-2.0
// Device memory with a page table. The host's writes to a page that no kernel has touched yet are kept aside, so that
// they don't decide the page's placement; they are applied at the page's first touch.
#pragma once

#include <memory>
#include <vector>

#include "gpu/kernel/device_memory.h"
#include "memory/dram/physical_memory_if.h"
#include "memory/vm/page_table.h"

namespace contraflow::gpu {

using memory::physical_memory_if;

class paged_memory final : public device_memory, private memory::page_listener_if {
public:
    paged_memory(memory::page_table& pages, physical_memory_if& physical);
    ~paged_memory() override;

    std::uint64_t reserve(std::size_t bytes) override;
    std::uint64_t reserve_uncached(std::size_t bytes) override;
    void write_bytes(std::uint64_t address, std::span<const std::byte> from) override;
    void read_bytes(std::uint64_t address, std::span<std::byte> to) const override;

private:
    using page_bytes = std::unique_ptr<std::byte[]>;

    void page_placed(std::uint64_t virtual_address, std::uint64_t physical_address, std::uint64_t size) override;
    std::size_t page_of(std::uint64_t address) const;
    // Calls part(address, offset from the beginning, length) for the part of each page.
    template <class Part> void for_each_page(std::uint64_t address, std::size_t length, Part part) const;

    memory::page_table& pages_;
    physical_memory_if& physical_;
    std::vector<page_bytes> aside_;  // up to the last page that was written
};

}  // namespace contraflow::gpu
