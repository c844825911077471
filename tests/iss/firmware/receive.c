/* SPDX-License-Identifier: Apache-2.0 */
/* Takes packets that a port on the bus announces by an interrupt, and sums up their words. */
#include <stdint.h>

#define PORT_WORD (*(volatile uint32_t*)0x40000010)
#define PORT_TAKEN (*(volatile uint32_t*)0x40000104)
#define SUM_OUT (*(volatile uint32_t*)0x40000020)

struct packet {
    uint16_t source;
    uint16_t length;
    uint32_t words[3];
};

struct packet current;
volatile uint32_t total;
static volatile int arrived;

__attribute__((noinline)) uint32_t receive(const struct packet* p) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < p->length; i++) sum += p->words[i];
    total += sum;
    return sum;
}

__attribute__((interrupt("machine"), aligned(4))) void port_interrupt(void) {
    PORT_TAKEN = 1;
    arrived = 1;
}

int main(void) {
    __asm__ volatile("csrw mtvec, %0\n csrw mie, %1\n csrsi mstatus, 8" : : "r"(port_interrupt), "r"(1u << 11));
    for (uint16_t source = 7;; source++) {
        while (!arrived) __asm__ volatile("wfi");
        arrived = 0;
        current.source = source;
        current.length = 3;
        for (unsigned i = 0; i < 3; i++) current.words[i] = PORT_WORD + i;
        SUM_OUT = receive(&current);
    }
}
