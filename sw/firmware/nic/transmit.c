// SPDX-License-Identifier: Apache-2.0
// What the transmit side asks for: where a message's bytes lie, read requests to a GPU, and the start of a window.
#include "nic.h"
#include "port.h"

static const uint32_t line_bytes = 128;
static const unsigned place_lsb = 40 - 32;  // in the high half of a read request

void transmit_init(struct transmit* transmit) {
    const uint32_t low = bus_load(NIC_TX_REGISTER_OF(SOURCE_TABLES, 0));
    transmit->source_tables = join(low, bus_load(NIC_TX_REGISTER_OF(SOURCE_TABLES, 1)));
}

// True: *address is the first byte's, and *length is up to the end of its page.
static bool find_source(struct nic* nic, uint32_t process, uint32_t length, struct buffer* buffer, uint64_t* address,
                        uint32_t* extent) {
    const uint32_t status = buffer_list_find(&nic->buffers, process, *address, length, buffer, &nic->statistics.compared);
    if (status != CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED) return false;
    const uint64_t tables = buffer->space == 0 ? 0 : nic->transmit.source_tables;
    uint64_t entry;
    nic->statistics.walks++;
    if (!page_walk(&nic->tables, buffer->space, buffer->root + tables, *address, &entry)) return false;
    const uint32_t page = page_bytes(buffer->space);
    const uint32_t offset = (uint32_t)*address & (page - 1);
    *address = (entry & ~(uint64_t)(page - 1)) | offset;
    *extent = page - offset;
    return true;
}

static void answer_extent(struct nic* nic) {
    const uint32_t job = bus_load(NIC_TX_REGISTER(JOB));
    const uint32_t process = (job & CF_NIC_TX_JOB_PROCESS_MASK) >> CF_NIC_TX_JOB_PROCESS_LSB;
    const uint32_t low = bus_load(NIC_TX_REGISTER_OF(JOB_ADDRESS, 0));
    uint64_t address = join(low, bus_load(NIC_TX_REGISTER_OF(JOB_ADDRESS, 1)));
    const uint32_t length = bus_load(NIC_TX_REGISTER(JOB_LENGTH));
    struct buffer buffer;
    uint32_t extent;
    nic->statistics.extents++;
    if (!find_source(nic, process, length, &buffer, &address, &extent)) {
        bus_store(NIC_TX_REGISTER(EXTENT_RESULT),
                  CF_NIC_TX_EXTENT_RESULT_STATUS_NOT_REGISTERED << CF_NIC_TX_EXTENT_RESULT_STATUS_LSB);
        return;
    }
    bus_store(NIC_TX_REGISTER_OF(EXTENT_ADDRESS, 0), (uint32_t)address);
    bus_store(NIC_TX_REGISTER_OF(EXTENT_ADDRESS, 1), (uint32_t)(address >> 32));
    bus_store(NIC_TX_REGISTER(EXTENT_LENGTH), extent);
    bus_store(NIC_TX_REGISTER(EXTENT_RESULT),
              CF_NIC_TX_EXTENT_RESULT_STATUS_FOUND << CF_NIC_TX_EXTENT_RESULT_STATUS_LSB |
                  (uint32_t)buffer.space << CF_NIC_TX_EXTENT_RESULT_SPACE_LSB);
}

// In the high half of a request, bits 39:32 of the address stand below the place of the answer.
static void write_reads(struct nic* nic) {
    uint32_t count = bus_load(NIC_TX_REGISTER(READ_COUNT));
    const uint32_t first = bus_load(NIC_TX_REGISTER_OF(READ_ADDRESS, 0));
    uint64_t address = join(first, bus_load(NIC_TX_REGISTER_OF(READ_ADDRESS, 1)));
    uint32_t place = bus_load(NIC_TX_REGISTER(READ_PLACE));
    nic->statistics.reads += count;
    for (; count != 0; count--) {
        bus_store(NIC_TX_REGISTER_OF(READ_REQUEST, 0), (uint32_t)address);
        bus_store(NIC_TX_REGISTER_OF(READ_REQUEST, 1), (uint32_t)(address >> 32) | place << place_lsb);
        address += line_bytes;
        place++;
    }
}

void serve_transmit(struct nic* nic) {
    const uint32_t wanted = bus_load(NIC_TX_REGISTER(STATUS));
    if (wanted & CF_NIC_TX_STATUS_READS_MASK) {
        write_reads(nic);
    } else if (wanted & CF_NIC_TX_STATUS_WINDOW_MASK) {
        nic->statistics.windows++;
        bus_store(NIC_TX_REGISTER(WINDOW_START), 1);
    } else if (wanted & CF_NIC_TX_STATUS_EXTENT_MASK) {
        answer_extent(nic);
    }
}
