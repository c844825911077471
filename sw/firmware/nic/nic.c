// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

#include "port.h"

void nic_init(struct nic* nic) {
    nic->statistics = (struct nic_statistics){0};
    buffer_list_init(&nic->buffers);
    page_tables_init(&nic->tables);
    bus_store(NIC_REGISTER(IRQ_ENABLE),
              CF_NIC_RX_IRQ_ENABLE_LOOKUP_MASK | CF_NIC_RX_IRQ_ENABLE_MESSAGE_MASK | CF_NIC_RX_IRQ_ENABLE_COMMAND_MASK);
}

bool nic_serve(struct nic* nic) {
    const uint32_t waiting = bus_load(NIC_REGISTER(IRQ_STATUS));
    // A packet after a command must see the command's changes.
    if (waiting & CF_NIC_RX_IRQ_STATUS_COMMAND_MASK)
        driver_command(nic);
    else if (waiting & CF_NIC_RX_IRQ_STATUS_LOOKUP_MASK)
        receive_packet(nic);
    else if (waiting & CF_NIC_RX_IRQ_STATUS_MESSAGE_MASK)
        receive_get_request(nic);
    else
        return false;
    return true;
}
