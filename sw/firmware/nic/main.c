// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

static struct nic nic;  // in memory, for the debugger

int main(void) {
    const uint32_t external_interrupt = 1u << 11;
    // Interrupts stay off: a pending one still ends wfi, and none is missed between the check and the wait.
    __asm__ volatile("csrw mie, %0" : : "r"(external_interrupt));
    nic_init(&nic);
    for (;;)
        if (!nic_serve(&nic)) __asm__ volatile("wfi" : : : "memory");
}
