// SPDX-License-Identifier: Apache-2.0
// Virtual to physical: page tables of three levels, entries of 8 bytes. Bit 0 of an entry is valid. In the first two
// levels, bits 63:12 are the next table. The entry of the last level is passed to the datapath unchanged.
//
//   page of the host  4 KiB   indices of 12, 12, 12 bits
//   page of a GPU    64 KiB   indices of 10, 11, 11 bits
#ifndef CF_FIRMWARE_NIC_PAGE_WALK_H
#define CF_FIRMWARE_NIC_PAGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

// The core has a window of 2 GiB on the tables; this is the window's current position.
struct page_tables {
    uint64_t segment;
};

void page_tables_init(struct page_tables* tables);

static inline uint32_t page_bytes(unsigned space) { return space == 0 ? 4096 : 65536; }

// The last level's entry for the page of the address; false if this entry or one of an upper level is not valid.
bool page_walk(struct page_tables* tables, unsigned space, uint64_t root, uint64_t address, uint64_t* entry);

#endif  // CF_FIRMWARE_NIC_PAGE_WALK_H
