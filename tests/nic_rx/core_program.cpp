// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/core_program.h"

#include <algorithm>
#include <array>

#include "core/little_endian.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"

namespace contraflow::testing {

namespace regs = nic::nic_rx_registers;

core_program::core_program(rx_bench& b) : b_(b) {
    b.bus(true, regs::irq_enable.offset, 7);
    b.core = [this] {
        if (b_.out().irq) serve();
    };
}

std::uint32_t core_program::load(unsigned offset) {
    const auto value = b_.bus(false, offset);
    if (b_.bus_error) b_.break_rule("the core may not read a register");
    return value;
}

void core_program::store(unsigned offset, std::uint32_t value) {
    b_.bus(true, offset, value);
    if (b_.bus_error) b_.break_rule("the core may not write a register");
}

void core_program::serve() {
    const auto status = load(regs::irq_status.offset);
    if ((status & regs::irq_status_command.mask()) != 0) return command();
    if ((status & regs::irq_status_message.mask()) != 0) return message();
    if ((status & regs::irq_status_lookup.mask()) != 0) look_up();
}

void core_program::command() {
    const auto word = load(regs::command.offset);
    if (word == 0) return;  // a reset has begun; the command comes back after it
    const auto index = regs::command_index.of(word);
    std::array<std::uint32_t, 8> data{};
    for (unsigned i = 0; i < 8; ++i) data[i] = load(regs::command_data.offset + 4 * i);
    if (regs::command_opcode.of(word) == regs::command_opcode_set_buffer) {
        for (unsigned i = 0; i < 8; ++i) store(rx_bench::list_word(index, i), data[i]);
        buffers_[index] = nic::decode(data);
    } else if (regs::command_opcode.of(word) == regs::command_opcode_set_ring) {
        store(regs::ring_base.offset, data[0]);
        store(regs::ring_base.offset + 4, data[1]);
        store(regs::ring_entries.offset, data[2]);
        store(regs::ring_set.offset, index);
    }
    store(regs::command_done.offset, 0);
}

nic::packet_header core_program::header(unsigned offset) {
    std::array<std::uint8_t, nic_rx::word_bytes> word{};
    for (unsigned i = 0; i < 4; ++i) core::store_le<std::uint32_t>(&word[4 * i], load(offset + 4 * i));
    if (!b_.in_soft_reset && !b_.has_header(word)) b_.break_rule("the core is shown a header that no packet has");
    return nic::packet_header::decode(word);
}

void core_program::message() {
    const std::uint64_t number = b_.out().message_packet;
    const auto h = header(regs::message.offset);
    nic::mailbox_message m{h.process, h.tag, h.source, h.address, {}};
    for (unsigned i = 0; i < 8; ++i) {
        const auto value = load(regs::message.offset + 4 * i);
        for (unsigned k = 0; i >= 4 && k < 4; ++k) m.payload.push_back(core::byte_of(value, k));
        store(regs::task.offset + 4 * i, value);
    }
    b_.log.push_back({number, b_.cycle, m});
    store(regs::message_take.offset, 1);
    store(regs::task_send.offset, 1);
    b_.in().task_ready = true;
    b_.step();
    if (!b_.in_soft_reset) {  // which removes the message, so that its answer is ignored
        if (!b_.out().task_valid) b_.break_rule("a task is not shown");
        if (!std::equal(m.payload.begin(), m.payload.end(), b_.out().task_words[1].begin()))
            b_.break_rule("a task is not what was written");
    }
    b_.in().task_ready = false;
    ++messages_;
}

void core_program::look_up() {
    const auto h = header(regs::lookup_header.offset);
    ++lookups_;
    std::uint32_t status = regs::lookup_result_status_no_buffer;
    for (const auto& [index, e] : buffers_) {
        if (!e.valid || e.process != h.process || !e.holds(h.address)) continue;
        const std::uint64_t last = h.address + h.length - 1;
        status = last >= nic::address_space || !e.holds(last) ? regs::lookup_result_status_bounds
                 : !e.writable                                ? regs::lookup_result_status_access
                                                              : regs::lookup_result_status_accepted;
        const unsigned bits = nic::page_bits(e.space);
        for (unsigned page = 0; status == 0 && page <= (last >> bits) - (h.address >> bits); ++page) {
            std::uint64_t entry = e.root | 1, number = (h.address >> bits) + page;
            for (unsigned level = 0; level < nic::table_levels && (entry & 1) != 0; ++level) {
                const auto at = b_.tables.find(
                    nic::entry_address(e.space, level == 0 ? e.root : nic::next_table(entry), number, level));
                entry = at == b_.tables.end() ? 0 : at->second;
            }
            if ((entry & 1) == 0) status = regs::lookup_result_status_translation;
            store(regs::lookup_entry.offset + 8 * page, static_cast<std::uint32_t>(entry));
            store(regs::lookup_entry.offset + 8 * page + 4, static_cast<std::uint32_t>(entry >> 32));
        }
        status |= regs::lookup_result_space.in_place(static_cast<std::uint32_t>(e.space)) |
                  regs::lookup_result_ring.in_place(e.ring);
        break;
    }
    store(regs::lookup_result.offset, status);
}

}  // namespace contraflow::testing
