// SPDX-License-Identifier: Apache-2.0
#include "nic.h"
#include "port.h"

uint32_t look_up(struct nic* nic, const struct lookup_request* request, struct lookup_result* result) {
    struct buffer* buffer = &result->buffer;
    const uint32_t status = buffer_list_find(&nic->buffers, request->process, request->address, request->length, buffer,
                                             &nic->statistics.compared);
    if (status != CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED) return status;
    if (!buffer->writable) return CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCESS;

    // The payload touches the page of its first byte and, if it is longer than the rest of that page, the next one.
    const uint32_t page = page_bytes(buffer->space);
    const uint32_t left = page - ((uint32_t)request->address & (page - 1));
    result->pages = request->length > left ? 2 : 1;
    nic->statistics.walks += result->pages;
    if (!page_walk(&nic->tables, buffer->space, buffer->root, request->address, &result->entries[0]))
        return CF_NIC_RX_LOOKUP_RESULT_STATUS_TRANSLATION;
    if (result->pages == 2 &&
        !page_walk(&nic->tables, buffer->space, buffer->root, request->address + left, &result->entries[1]))
        return CF_NIC_RX_LOOKUP_RESULT_STATUS_TRANSLATION;
    return CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED;
}
