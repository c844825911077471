// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/region_table.h"

namespace contraflow::nic {

registered_region::record registered_region::encode() const {
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
    const std::uint32_t bits = (rights.local_write ? 1u : 0u) | (rights.remote_read ? 2u : 0u) |
                               (rights.remote_write ? 4u : 0u) | (rights.remote_atomic ? 8u : 0u) |
                               (of_gpu(pages) ? 16u : 0u) | (valid ? 256u : 0u);
    return {low(base), high(base), low(length), high(length),
            low(root), high(root), bits,        local_byte | std::uint32_t{remote_byte} << 8};
}

registered_region registered_region::decode(const record& r) {
    const auto wide = [&](unsigned at) { return r[at] | std::uint64_t{r[at + 1]} << 32; };
    const auto bit = [&](unsigned n) { return (r[6] >> n & 1) != 0; };
    return {bit(8),
            {bit(0), bit(1), bit(2), bit(3)},
            bit(4) ? memory_space::gpu0 : memory_space::host,
            wide(0),
            wide(2),
            wide(4),
            static_cast<std::uint8_t>(r[7]),
            static_cast<std::uint8_t>(r[7] >> 8)};
}

bool registered_region::allows(access a) const {
    switch (a) {
    case access::local_read: return true;
    case access::local_write: return rights.local_write;
    case access::remote_read: return rights.remote_read;
    case access::remote_write: return rights.remote_write;
    case access::remote_atomic: break;
    }
    return rights.remote_atomic;
}

bool region_table::set(std::uint32_t index, const registered_region& r) {
    if (index >= all_.size()) return false;
    all_[index] = r;
    return true;
}

std::optional<registered_region> region_table::find(std::uint32_t key, std::uint64_t address, std::uint64_t length,
                                                    access how) const {
    if (length == 0) return registered_region{};
    const registered_region* const r = at(key >> 8);
    if (r == nullptr || !r->valid || (is_local(how) ? r->local_byte : r->remote_byte) != (key & 0xff) ||
        !r->allows(how) || address < r->base || address - r->base > r->length ||
        length > r->length - (address - r->base))
        return std::nullopt;
    for (std::uint64_t at = address; at < address + length; at += r->left_in_page(at))
        if (!page_of(*r, at)) return std::nullopt;
    return *r;
}

std::optional<page_entry> region_table::page_of(const registered_region& r, std::uint64_t address) const {
    const std::uint64_t number = address >> page_bits(r.pages);
    std::uint64_t table = r.root;
    for (unsigned level = 0;; ++level) {
        const std::uint64_t entry = tables_.entry(entry_address(r.pages, table, number, level));
        if ((entry & table_valid) == 0) return std::nullopt;
        if (level + 1 == table_levels) return leaf(r.pages, entry);
        table = next_table(entry);
    }
}

}  // namespace contraflow::nic
