// SPDX-License-Identifier: Apache-2.0
// Packets: the buffer and the pages of each put; get requests, which are handed to the transmit side.
#include "nic.h"
#include "port.h"

// The header word: 12:0 length, 31:16 process, 79:32 address, 91:80 tag, 92 notify, 110:96 source.
static void read_request(struct lookup_request* request) {
    const uint32_t word0 = bus_load(NIC_REGISTER_OF(LOOKUP_HEADER, 0));
    const uint32_t word1 = bus_load(NIC_REGISTER_OF(LOOKUP_HEADER, 1));
    const uint32_t word2 = bus_load(NIC_REGISTER_OF(LOOKUP_HEADER, 2));
    const uint32_t word3 = bus_load(NIC_REGISTER_OF(LOOKUP_HEADER, 3));
    request->length = word0 & 0x1fff;
    request->process = (uint16_t)(word0 >> 16);
    request->address = join(word1, word2 & 0xffff);
    request->tag = word2 >> 16 & 0xfff;
    request->notify = word2 >> 28 & 1;
    request->source = word3 & 0x7fff;
}

void receive_packet(struct nic* nic) {
    struct lookup_request request;
    struct lookup_result result;
    read_request(&request);
    if (request.length == 0) return;  // a reset of the datapath has removed it
    const uint32_t status = look_up(nic, &request, &result);
    nic->statistics.lookups++;
    nic->statistics.results[status]++;
    if (status != CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED) {
        bus_store(NIC_REGISTER(LOOKUP_RESULT), status << CF_NIC_RX_LOOKUP_RESULT_STATUS_LSB);
        return;
    }
    for (unsigned page = 0; page < result.pages; page++) {
        bus_store(NIC_REGISTER_OF(LOOKUP_ENTRY, 2 * page), (uint32_t)result.entries[page]);
        bus_store(NIC_REGISTER_OF(LOOKUP_ENTRY, 2 * page + 1), (uint32_t)(result.entries[page] >> 32));
    }
    bus_store(NIC_REGISTER(LOOKUP_RESULT),
              CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED << CF_NIC_RX_LOOKUP_RESULT_STATUS_LSB |
                  (uint32_t)result.buffer.space << CF_NIC_RX_LOOKUP_RESULT_SPACE_LSB |
                  (uint32_t)result.buffer.ring << CF_NIC_RX_LOOKUP_RESULT_RING_LSB);
}

void receive_get_request(struct nic* nic) {
    const uint32_t first = bus_load(NIC_REGISTER_OF(MESSAGE, 0));
    if (first == 0) return;  // likewise
    bus_store(NIC_REGISTER_OF(TASK, 0), first);
    for (uint32_t i = 1; i < CF_NIC_RX_MESSAGE_REGISTERS; i++)
        bus_store(NIC_REGISTER_OF(TASK, i), bus_load(NIC_REGISTER_OF(MESSAGE, i)));
    bus_store(NIC_REGISTER(MESSAGE_TAKE), 1);
    bus_store(NIC_REGISTER(TASK_SEND), 1);
    nic->statistics.get_requests++;
}
