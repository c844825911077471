// SPDX-License-Identifier: Apache-2.0
// The firmware of the NIC's core: serves the receive path's look-ups, get requests, the transmit side and the driver's
// commands, one at a time. There are no copies of buffers or pages: each look-up reads the tables anew.
#ifndef CF_FIRMWARE_NIC_NIC_H
#define CF_FIRMWARE_NIC_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer_list.h"
#include "page_walk.h"

// A packet, by its header.
struct lookup_request {
    uint64_t address;  // virtual, of the first byte
    uint32_t length;   // bytes of payload, 1 to 4,096
    uint16_t process;
    uint16_t tag;
    uint16_t source;  // x 4:0, y 9:5, z 14:10
    bool notify;
};

struct lookup_result {
    uint64_t entries[2];  // entries of the last level, for the pages that the payload touches
    unsigned pages;
    struct buffer buffer;
};

struct nic_statistics {
    uint32_t lookups;
    uint32_t results[5];  // by CF_NIC_RX_LOOKUP_RESULT_STATUS_...
    uint32_t compared;    // entries of BUF_LIST
    uint32_t walks;
    uint32_t get_requests;
    uint32_t commands;
    uint32_t extents;  // looked up for the transmit side
    uint32_t reads;    // requests to GPUs
    uint32_t windows;
};

struct transmit {
    uint64_t source_tables;  // added to the root of a GPU's table for reading
};

struct nic {
    struct buffer_list buffers;
    struct page_tables tables;
    struct transmit transmit;
    uint32_t served;  // in this round, bits of IRQ_STATUS
    struct nic_statistics statistics;
};

void nic_init(struct nic* nic);

// Serves one of those that wait: a command before all others, which take turns. False: nothing waits.
bool nic_serve(struct nic* nic);

// Each serves the head of its queue.
void receive_packet(struct nic* nic);
void receive_get_request(struct nic* nic);
void driver_command(struct nic* nic);
// Does what the transmit side wants now.
void transmit_init(struct transmit* transmit);
void serve_transmit(struct nic* nic);

// Returns a CF_NIC_RX_LOOKUP_RESULT_STATUS_...; *result is set if the packet is accepted.
uint32_t look_up(struct nic* nic, const struct lookup_request* request, struct lookup_result* result);

#endif  // CF_FIRMWARE_NIC_NIC_H
