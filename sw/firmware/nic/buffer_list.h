// SPDX-License-Identifier: Apache-2.0
// BUF_LIST: registered buffers, 8 words an entry in the NIC's table memory. The matching entry with the lowest index is
// used.
//
//   word 0     bit 0 valid, bit 1 writable, 4:2 space (0 host, 1 to 4 a GPU), 15:8 ring, 31:16 process
//   word 1, 2  base     3, 4  length in bytes     5, 6  root of its page table     7  zero
#ifndef CF_FIRMWARE_NIC_BUFFER_LIST_H
#define CF_FIRMWARE_NIC_BUFFER_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum { buffer_words = 8 };

// A put's virtual addresses: 48 bits, and nothing wraps.
#define ADDRESS_SPACE (UINT64_C(1) << 48)

struct buffer_list {
    uint32_t base;  // on the core's bus
    uint32_t size;  // number of entries
    uint32_t rings;
    uint32_t used;  // entries from this index on are not valid
};

struct buffer {
    uint64_t root;
    uint8_t space;
    uint8_t ring;
    bool writable;
};

void buffer_list_init(struct buffer_list* list);

// False: there is no such entry, or its space or ring does not exist; nothing changes then. An invalid entry removes
// the registration.
bool buffer_list_set(struct buffer_list* list, uint32_t index, const uint32_t words[buffer_words]);
void buffer_list_clear(struct buffer_list* list);

// Returns ACCEPTED, NO_BUFFER or BOUNDS of CF_NIC_RX_LOOKUP_RESULT_STATUS_...; *found is that of an accepted one, and
// may not be writable. `length` is at least 1. Adds the entries that were looked at to *compared.
uint32_t buffer_list_find(const struct buffer_list* list, uint32_t process, uint64_t address, uint32_t length,
                          struct buffer* found, uint32_t* compared);

#endif  // CF_FIRMWARE_NIC_BUFFER_LIST_H
