// SPDX-License-Identifier: Apache-2.0
#include "page_walk.h"

#include "port.h"

enum { segment_bits = 31 };

static const uint32_t entry_valid = 1u << 0;

static uint64_t next_table(uint64_t entry) { return entry & ~UINT64_C(0xfff); }

static uint32_t index_at(uint64_t address, unsigned lsb, unsigned bits) {
    return (uint32_t)(address >> lsb) & ((1u << bits) - 1);
}

static void show_segment(struct page_tables* tables, uint64_t segment) {
    bus_store(NIC_REGISTER_OF(TABLE_SEGMENT, 0), (uint32_t)segment);
    bus_store(NIC_REGISTER_OF(TABLE_SEGMENT, 1), (uint32_t)(segment >> 32));
    tables->segment = segment;
}

void page_tables_init(struct page_tables* tables) { show_segment(tables, 0); }

static bool step(struct page_tables* tables, uint64_t table, uint32_t index, uint64_t* entry) {
    const uint64_t address = table + index * 8;
    const uint64_t segment = address >> segment_bits;
    if (segment != tables->segment) show_segment(tables, segment);
    const uint32_t window = CF_NIC_RX_TABLES_BASE + ((uint32_t)address & ((1u << segment_bits) - 1));
    const uint32_t low = bus_load(window);
    if (!(low & entry_valid)) return false;
    *entry = join(low, bus_load(window + 4));
    return true;
}

bool page_walk(struct page_tables* tables, unsigned space, uint64_t root, uint64_t address, uint64_t* entry) {
    if (root & 7) return false;  // no table can be there
    if (space == 0)
        return step(tables, root, index_at(address, 36, 12), entry) &&
               step(tables, next_table(*entry), index_at(address, 24, 12), entry) &&
               step(tables, next_table(*entry), index_at(address, 12, 12), entry);
    return step(tables, root, index_at(address, 38, 10), entry) &&
           step(tables, next_table(*entry), index_at(address, 27, 11), entry) &&
           step(tables, next_table(*entry), index_at(address, 16, 11), entry);
}
