/* SPDX-License-Identifier: Apache-2.0 */
/* What a core can be busy with: checksums, a sort, a list of packets, divisions. It ends with a store to the bus. */
#include <stdint.h>

#define SIGNATURE (*(volatile uint32_t*)0x40000000)

struct packet {
    struct packet* next;
    uint32_t length;
};

static uint32_t words[1024];
static struct packet packets[64];

/* In the data memory, so that a run can be made longer from outside. */
volatile uint32_t rounds = 20;

static __attribute__((noinline)) uint32_t checksum(uint32_t sum, const uint8_t* bytes, uint32_t n) {
    while (n--) {
        sum ^= *bytes++;
        for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (0xedb88320u & -(sum & 1));
    }
    return sum;
}

static __attribute__((noinline)) void sort(uint32_t* of, int n) {
    for (int i = 1; i < n; i++) {
        uint32_t moved = of[i];
        int j = i - 1;
        for (; j >= 0 && of[j] > moved; j--) of[j + 1] = of[j];
        of[j + 1] = moved;
    }
}

static __attribute__((noinline)) uint32_t walk(struct packet* p) {
    uint32_t sum = 0;
    for (; p; p = p->next) {
        sum += p->length;
        p->length = sum / 3;
    }
    return sum;
}

int main(void) {
    uint32_t seed = 1;
    for (int i = 0; i < 63; i++) packets[i].next = &packets[i + 1];
    for (uint32_t round = 0; round < rounds; round++) {
        for (int i = 0; i < 128; i++) {
            seed = seed * 1664525u + 1013904223u;
            words[i] = seed;
        }
        seed += checksum(seed, (const uint8_t*)words, 128);
        sort(words, 64);
        seed += walk(packets);
    }
    SIGNATURE = seed;
    return 0;
}
