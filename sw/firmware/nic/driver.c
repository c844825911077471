// SPDX-License-Identifier: Apache-2.0
// The driver's commands: registration of buffers, rings, removal of translations, counters.
#include "nic.h"
#include "port.h"

static const uint32_t refused = UINT32_MAX;

static uint32_t data(uint32_t i) { return bus_load(NIC_REGISTER_OF(COMMAND_DATA, i)); }

static uint32_t set_buffer(struct nic* nic, uint32_t index) {
    uint32_t words[buffer_words];
    for (uint32_t i = 0; i < buffer_words; i++) words[i] = data(i);
    return buffer_list_set(&nic->buffers, index, words) ? 0 : refused;
}

static uint32_t set_ring(const struct nic* nic, uint32_t index) {
    if (index >= nic->buffers.rings) return refused;
    bus_store(NIC_REGISTER_OF(RING_BASE, 0), data(0));
    bus_store(NIC_REGISTER_OF(RING_BASE, 1), data(1));
    bus_store(NIC_REGISTER(RING_ENTRIES), data(2));
    bus_store(NIC_REGISTER(RING_SET), index);
    return 0;
}

static uint32_t execute(struct nic* nic, uint32_t opcode, uint32_t index) {
    switch (opcode) {
    case CF_NIC_RX_COMMAND_OPCODE_SET_BUFFER: return set_buffer(nic, index);
    case CF_NIC_RX_COMMAND_OPCODE_SET_RING: return set_ring(nic, index);
    // Look-ups keep no copies, and none is under way: there is nothing to drop.
    case CF_NIC_RX_COMMAND_OPCODE_INVALIDATE:
    case CF_NIC_RX_COMMAND_OPCODE_INVALIDATE_ALL: return 0;
    case CF_NIC_RX_COMMAND_OPCODE_RESET: buffer_list_clear(&nic->buffers); return 0;
    case CF_NIC_RX_COMMAND_OPCODE_READ_COUNTER:
        return index < CF_NIC_RX_COUNTER_REGISTERS ? bus_load(NIC_REGISTER_OF(COUNTER, index)) : refused;
    default: return refused;
    }
}

void driver_command(struct nic* nic) {
    const uint32_t command = bus_load(NIC_REGISTER(COMMAND));
    const uint32_t opcode = (command & CF_NIC_RX_COMMAND_OPCODE_MASK) >> CF_NIC_RX_COMMAND_OPCODE_LSB;
    if (opcode == 0) return;  // a reset has begun; the command comes back after it
    const uint32_t index = (command & CF_NIC_RX_COMMAND_INDEX_MASK) >> CF_NIC_RX_COMMAND_INDEX_LSB;
    nic->statistics.commands++;
    bus_store(NIC_REGISTER(COMMAND_DONE), execute(nic, opcode, index));
}
