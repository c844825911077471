// SPDX-License-Identifier: Apache-2.0
#include "buffer_list.h"

#include "port.h"

enum {
    word_flags = 0,
    word_base = 1,
    word_length = 3,
    word_root = 5,
};

static const uint32_t flag_valid = 1u << 0;
static const uint32_t flag_writable = 1u << 1;
static const uint32_t last_space = 4;  // of the host and four GPUs

static uint32_t entry_at(const struct buffer_list* list, uint32_t index) {
    return list->base + index * buffer_words * 4;
}

static uint32_t load_word(uint32_t entry, uint32_t word) { return bus_load(entry + 4 * word); }

static uint64_t load_double(uint32_t entry, uint32_t word) {
    const uint32_t low = load_word(entry, word);
    return join(low, load_word(entry, word + 1));
}

static uint32_t field(uint32_t flags, unsigned lsb, uint32_t mask) { return flags >> lsb & mask; }

void buffer_list_init(struct buffer_list* list) {
    list->base = bus_load(NIC_REGISTER(BUF_LIST));
    list->size = bus_load(NIC_REGISTER(BUF_LIST_ENTRIES));
    list->rings = bus_load(NIC_REGISTER(RINGS));
    list->used = 0;
}

bool buffer_list_set(struct buffer_list* list, uint32_t index, const uint32_t words[buffer_words]) {
    const uint32_t flags = words[word_flags];
    if (index >= list->size || field(flags, 2, 7) > last_space || field(flags, 8, 0xff) >= list->rings) return false;
    const uint32_t entry = entry_at(list, index);
    for (uint32_t i = 0; i < buffer_words; i++) bus_store(entry + 4 * i, words[i]);
    if (flags & flag_valid) {
        if (list->used <= index) list->used = index + 1;
        return true;
    }
    while (list->used != 0 && !(load_word(entry_at(list, list->used - 1), word_flags) & flag_valid)) list->used--;
    return true;
}

void buffer_list_clear(struct buffer_list* list) {
    for (uint32_t i = 0; i < list->used; i++) bus_store(entry_at(list, i), 0);
    list->used = 0;
}

uint32_t buffer_list_find(const struct buffer_list* list, uint32_t process, uint64_t address, uint32_t length,
                          struct buffer* found, uint32_t* compared) {
    uint32_t entry = list->base;
    for (uint32_t left = list->used; left != 0; left--, entry += buffer_words * 4) {
        const uint32_t flags = load_word(entry, word_flags);
        if (!(flags & flag_valid) || flags >> 16 != process) continue;
        const uint64_t base = load_double(entry, word_base);
        if (address < base) continue;
        const uint64_t size = load_double(entry, word_length);
        const uint64_t offset = address - base;
        if (offset >= size) continue;

        *compared += list->used - left + 1;
        if (length > size - offset || length > ADDRESS_SPACE - address) return CF_NIC_RX_LOOKUP_RESULT_STATUS_BOUNDS;
        found->root = load_double(entry, word_root);
        found->space = (uint8_t)field(flags, 2, 7);
        found->ring = (uint8_t)field(flags, 8, 0xff);
        found->writable = flags & flag_writable;
        return CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED;
    }
    *compared += list->used;
    return CF_NIC_RX_LOOKUP_RESULT_STATUS_NO_BUFFER;
}
