// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/simple_case.h"

#include <map>

#include "core/random.h"
#include "nic/packet.h"
#include "nic/receive/receive_tables.h"

namespace contraflow::testing {

using namespace nic;

receive_case one_buffer(memory_space space) {
    receive_case c;
    c.name = "one buffer";
    c.node = {1, 2, 3};
    buffer_entry b;
    b.valid = b.writable = true;
    b.process = 5;
    b.base = 0x10000;
    b.length = 0x10000;
    b.space = space;
    b.root = 0x10000;
    c.buffers = {{0, b}};
    std::map<std::uint64_t, std::uint64_t> entries;
    for (std::uint64_t a = b.base; a < b.base + b.length; a += 4096) {
        const std::uint64_t number = a >> page_bits(space);
        entries[entry_address(space, 0x10000, number, 0)] = 0x20001;
        entries[entry_address(space, 0x20000, number, 1)] = 0x40001;
        entries[entry_address(space, 0x40000, number, 2)] = any_page(number);
    }
    c.tables.assign(entries.begin(), entries.end());
    return c;
}

std::uint64_t any_page(std::uint64_t number) { return core::mix64(number + 1) | table_valid; }

std::vector<std::uint8_t> any_bytes(std::uint64_t which, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(core::mix64(0x10000 * which + i));
    return bytes;
}

std::vector<std::uint8_t> put(std::uint64_t offset, std::uint32_t length, bool notify) {
    packet_header h;
    h.length = static_cast<std::uint16_t>(length);
    h.process = 5;
    h.address = 0x10000 + offset;
    h.notify = notify;
    h.target = {1, 2, 3};
    return packet_words(h, any_bytes(offset, length));
}

nic::receive_case two_tokens_of_a_page() {
    auto c = one_buffer(memory_space::gpu1);
    c.buffers[0].second.length = 0x20000;
    c.tables = {{entry_address(memory_space::gpu1, 0x10000, 1, 0), 0x20001},
                {entry_address(memory_space::gpu1, 0x20000, 1, 1), 0x40001},
                {entry_address(memory_space::gpu1, 0x40000, 1, 2), 0x7770003},
                {entry_address(memory_space::gpu1, 0x40000, 2, 2), 0x7770005}};
    c.packets = {put(0, 16), put(0x10000, 16), put(0x10100, 16), put(0xfff8, 16)};
    return c;
}

}  // namespace contraflow::testing
