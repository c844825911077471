// SPDX-License-Identifier: Apache-2.0
// A driver's pages, all of one size, in a multi-level page table.
#pragma once

#include "memory/vm/page_mapper_if.h"
#include "memory/vm/radix_table.h"

namespace contraflow::memory {

class radix_mapper final : public page_mapper_if {
public:
    // `bits`: the base-2 logarithm of a page's bytes, one of the sizes that the table supports.
    radix_mapper(radix_table& table, unsigned bits) : table_(table), bits_(bits) {
        if (!is_page_bits(bits)) throw std::invalid_argument("radix_mapper: pages of 4 KiB, 64 KiB or 2 MiB");
    }

    std::uint64_t page_size() const override { return std::uint64_t{1} << bits_; }
    void map(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) override {
        table_.map(process,
                   {virtual_page, physical_page, 0, static_cast<std::uint8_t>(bits_), access_rights::read_write});
    }
    void unmap(std::uint32_t process, std::uint64_t virtual_page) override { table_.unmap(process, virtual_page); }
    void remap(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) override {
        table_.remap(process, virtual_page, physical_page);
    }
    bool protect(std::uint32_t process, std::uint64_t virtual_page, access_rights rights) override {
        table_.protect(process, virtual_page, rights);
        return true;
    }

private:
    radix_table& table_;
    const unsigned bits_;
};

}  // namespace contraflow::memory
