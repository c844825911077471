// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

#include "port.h"

void nic_init(struct nic* nic) {
    nic->statistics = (struct nic_statistics){0};
    buffer_list_init(&nic->buffers);
    page_tables_init(&nic->tables);
    transmit_init(&nic->transmit);
    nic->served = 0;
    bus_store(NIC_REGISTER(IRQ_ENABLE), CF_NIC_RX_IRQ_ENABLE_LOOKUP_MASK | CF_NIC_RX_IRQ_ENABLE_MESSAGE_MASK |
                                            CF_NIC_RX_IRQ_ENABLE_COMMAND_MASK | CF_NIC_RX_IRQ_ENABLE_TRANSMIT_MASK);
}

bool nic_serve(struct nic* nic) {
    uint32_t waiting = bus_load(NIC_REGISTER(IRQ_STATUS));
    if (waiting == CF_NIC_RX_IRQ_STATUS_LOOKUP_MASK) {  // the usual case: nobody else takes a turn
        receive_packet(nic);
        return true;
    }
    if (waiting == 0) return false;
    // A packet that comes after a command sees what it has changed.
    if (waiting & CF_NIC_RX_IRQ_STATUS_COMMAND_MASK) {
        driver_command(nic);
        return true;
    }
    // Each of the others once, then each of them again: none keeps another one waiting for ever.
    if (waiting & ~nic->served)
        waiting &= ~nic->served;
    else
        nic->served = 0;
    if (waiting & CF_NIC_RX_IRQ_STATUS_LOOKUP_MASK) {
        nic->served |= CF_NIC_RX_IRQ_STATUS_LOOKUP_MASK;
        receive_packet(nic);
    } else if (waiting & CF_NIC_RX_IRQ_STATUS_TRANSMIT_MASK) {
        nic->served |= CF_NIC_RX_IRQ_STATUS_TRANSMIT_MASK;
        serve_transmit(nic);
    } else {
        nic->served |= CF_NIC_RX_IRQ_STATUS_MESSAGE_MASK;
        receive_get_request(nic);
    }
    return true;
}
