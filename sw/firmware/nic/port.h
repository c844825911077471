// SPDX-License-Identifier: Apache-2.0
// Words on the core's bus. On the core they are loads and stores; a native program defines these two functions.
#ifndef CF_FIRMWARE_NIC_PORT_H
#define CF_FIRMWARE_NIC_PORT_H

#include <stdint.h>

#include "nic_rx_regs.h"
#include "nic_tx_regs.h"

#ifdef __riscv
static inline uint32_t bus_load(uint32_t address) { return *(const volatile uint32_t*)address; }
static inline void bus_store(uint32_t address, uint32_t value) { *(volatile uint32_t*)address = value; }
#else
uint32_t bus_load(uint32_t address);
void bus_store(uint32_t address, uint32_t value);
#endif

// The address of a register, and of an element of a register array.
#define NIC_REGISTER(name) (CF_NIC_RX_REGISTERS_BASE + CF_NIC_RX_##name##_OFFSET)
#define NIC_REGISTER_OF(name, i) (NIC_REGISTER(name) + 4u * (i))
// Likewise of the transmit side.
#define NIC_TX_REGISTER(name) (CF_NIC_TX_REGISTERS_BASE + CF_NIC_TX_##name##_OFFSET)
#define NIC_TX_REGISTER_OF(name, i) (NIC_TX_REGISTER(name) + 4u * (i))

static inline uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

#endif  // CF_FIRMWARE_NIC_PORT_H
