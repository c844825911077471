// SPDX-License-Identifier: Apache-2.0
#include "page_walk.h"

#include "port.h"

enum { levels = 3 };
enum { segment_bits = 31 };

static const uint32_t entry_valid = 1u << 0;

struct table_format {
    uint8_t page_bits;
    uint8_t shift[levels];  // of a level's index in a page number
    uint16_t mask[levels];
};

static const struct table_format host_format = {12, {24, 12, 0}, {0xfff, 0xfff, 0xfff}};
static const struct table_format gpu_format = {16, {22, 11, 0}, {0x3ff, 0x7ff, 0x7ff}};

static const struct table_format* format_of(unsigned space) { return space == 0 ? &host_format : &gpu_format; }

unsigned page_bits(unsigned space) { return format_of(space)->page_bits; }

static void show_segment(struct page_tables* tables, uint64_t segment) {
    bus_store(NIC_REGISTER_OF(TABLE_SEGMENT, 0), (uint32_t)segment);
    bus_store(NIC_REGISTER_OF(TABLE_SEGMENT, 1), (uint32_t)(segment >> 32));
    tables->segment = segment;
}

void page_tables_init(struct page_tables* tables) { show_segment(tables, 0); }

bool page_walk(struct page_tables* tables, unsigned space, uint64_t root, uint64_t page, uint64_t* entry) {
    const struct table_format* format = format_of(space);
    if (root & 7) return false;  // no table is there
    uint64_t table = root;
    for (unsigned level = 0; level < levels; level++) {
        const uint32_t index = (uint32_t)(page >> format->shift[level]) & format->mask[level];
        const uint64_t address = table + index * 8;
        const uint64_t segment = address >> segment_bits;
        if (segment != tables->segment) show_segment(tables, segment);
        const uint32_t window = CF_NIC_RX_TABLES_BASE + ((uint32_t)address & ((1u << segment_bits) - 1));
        const uint32_t low = bus_load(window);
        if (!(low & entry_valid)) return false;
        *entry = join(low, bus_load(window + 4));
        table = *entry & ~UINT64_C(0xfff);
    }
    return true;
}
