// SPDX-License-Identifier: Apache-2.0
// The tables of the receive datapath: registered buffers (BUF_LIST), and page tables of three levels in the NIC's
// memory. Entries of page tables have 8 bytes; bit 0 is valid; in the first two levels, bits 63:12 of an entry are the
// next table's address.
//
//   page of the host  4 KiB   indices of 12, 12, 12 bits   entry 63:12 physical page
//   page of a GPU    64 KiB   indices of 10, 11, 11 bits   entry 63:16 physical page, 15:1 token of the GPU
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nic/packet.h"

namespace contraflow::nic {

enum class memory_space : std::uint8_t { host, gpu0, gpu1, gpu2, gpu3 };
inline constexpr unsigned most_gpus = 4;
inline constexpr std::array<std::string_view, 1 + most_gpus> space_names{"host", "gpu0", "gpu1", "gpu2", "gpu3"};

constexpr bool of_gpu(memory_space s) { return s != memory_space::host; }
constexpr unsigned gpu_of(memory_space s) { return static_cast<unsigned>(s) - 1; }
constexpr unsigned page_bits(memory_space s) { return of_gpu(s) ? 16 : 12; }
// `bytes` rounded up to whole pages.
constexpr std::uint64_t whole_pages(memory_space s, std::uint64_t bytes) {
    const std::uint64_t page = 1ull << page_bits(s);
    return (bytes + page - 1) / page * page;
}

struct buffer_entry {
    bool valid = false;
    std::uint16_t process = 0;
    std::uint64_t base = 0;    // virtual
    std::uint64_t length = 0;  // bytes
    memory_space space = memory_space::host;
    bool writable = false;
    std::uint64_t root = 0;  // its page table, in the NIC's memory
    std::uint8_t ring = 0;   // ring of completions

    // Does the buffer hold that byte? An address beyond the end of the address space is in no buffer.
    bool holds(std::uint64_t address) const { return address >= base && address - base < length; }
};

struct page_entry {
    std::uint64_t page = 0;   // physical address
    std::uint16_t token = 0;  // for a GPU page
    friend bool operator==(const page_entry&, const page_entry&) = default;
};

inline constexpr unsigned table_levels = 3;
inline constexpr std::uint64_t table_valid = 1;
// If a GPU's memory is read through BAR1, a second page table translates those reads. Its root is this many bytes
// behind the root of the table for writes.
inline constexpr std::uint64_t aperture_tables = 1ull << 40;

// The address of an entry in the table at `table`, for that level, counted from 0.
constexpr std::uint64_t entry_address(memory_space s, std::uint64_t table, std::uint64_t page_number, unsigned level) {
    constexpr unsigned host_shift[] = {24, 12, 0}, gpu_shift[] = {22, 11, 0};
    constexpr unsigned host_bits[] = {12, 12, 12}, gpu_bits[] = {10, 11, 11};
    const unsigned shift = of_gpu(s) ? gpu_shift[level] : host_shift[level];
    const unsigned bits = of_gpu(s) ? gpu_bits[level] : host_bits[level];
    return table + (page_number >> shift & ((1u << bits) - 1)) * 8;
}
constexpr std::uint64_t next_table(std::uint64_t entry) { return entry & ~0xfffull; }
constexpr page_entry leaf(memory_space s, std::uint64_t entry) {
    if (of_gpu(s)) return {entry & ~0xffffull, static_cast<std::uint16_t>(entry >> 1 & 0x7fff)};
    return {entry & ~0xfffull, 0};
}

}  // namespace contraflow::nic
