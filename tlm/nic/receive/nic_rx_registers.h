// SPDX-License-Identifier: Apache-2.0
// NIC receive path: the register map, by name. Written by scripts/generate-registers from
// rtl/nic_rx/registers.yaml; change that instead.
#pragma once

#include <array>
#include <cstdint>

#include "core/register_map.h"

namespace contraflow::nic::nic_rx_registers {

using access = core::register_access;
using field = core::register_field;
using reg = core::mapped_register;

// these registers
inline constexpr std::uint32_t registers_base = 0x40000000;
// 2 GiB of page tables: those at TABLE_SEGMENT times 2 GiB
inline constexpr std::uint32_t tables_base = 0x80000000;
// Identification
inline constexpr reg id{0x00, access::ro, 0xCF2B0004, "ID"};
// version of this register map
inline constexpr field id_version{0x00, 0, 16, 4, "ID.VERSION"};
// the same for every receive path
inline constexpr field id_block{0x00, 16, 16, 53035, "ID.BLOCK"};
// Pending requests for the core
inline constexpr reg irq_status{0x04, access::ro, 0x00000000, "IRQ_STATUS"};
// a packet waits for its buffer and pages
inline constexpr field irq_status_lookup{0x04, 0, 1, 0, "IRQ_STATUS.LOOKUP"};
// a get request waits, and the task before has been taken
inline constexpr field irq_status_message{0x04, 1, 1, 0, "IRQ_STATUS.MESSAGE"};
// a command of the driver waits; it is served before look-ups
inline constexpr field irq_status_command{0x04, 2, 1, 0, "IRQ_STATUS.COMMAND"};
// the transmit side has a request; its STATUS says which
inline constexpr field irq_status_transmit{0x04, 3, 1, 0, "IRQ_STATUS.TRANSMIT"};
// MEMORY_ERROR tells of a memory
inline constexpr field irq_status_memory{0x04, 4, 1, 0, "IRQ_STATUS.MEMORY"};
// The external interrupt is on while an enabled bit of IRQ_STATUS is
inline constexpr reg irq_enable{0x08, access::rw, 0x00000000, "IRQ_ENABLE"};
// as in IRQ_STATUS
inline constexpr field irq_enable_lookup{0x08, 0, 1, 0, "IRQ_ENABLE.LOOKUP"};
// as in IRQ_STATUS
inline constexpr field irq_enable_message{0x08, 1, 1, 0, "IRQ_ENABLE.MESSAGE"};
// as in IRQ_STATUS
inline constexpr field irq_enable_command{0x08, 2, 1, 0, "IRQ_ENABLE.COMMAND"};
// as in IRQ_STATUS
inline constexpr field irq_enable_transmit{0x08, 3, 1, 0, "IRQ_ENABLE.TRANSMIT"};
// as in IRQ_STATUS
inline constexpr field irq_enable_memory{0x08, 4, 1, 0, "IRQ_ENABLE.MEMORY"};
// The packet's header word
inline constexpr reg lookup_header{0x0C, access::ro, 0x00000000, "LOOKUP_HEADER"};
inline constexpr unsigned lookup_header_registers = 4;
// bits of the word
inline constexpr field lookup_header_bits{0x0C, 0, 32, 0, "LOOKUP_HEADER.BITS"};
// The last level's entries of the packet's pages, low and high half of the first, then of the second
inline constexpr reg lookup_entry{0x1C, access::rw, 0x00000000, "LOOKUP_ENTRY"};
inline constexpr unsigned lookup_entry_registers = 4;
// as in the table
inline constexpr field lookup_entry_bits{0x1C, 0, 32, 0, "LOOKUP_ENTRY.BITS"};
// Answers the look-up
inline constexpr reg lookup_result{0x2C, access::wo, 0x00000000, "LOOKUP_RESULT"};
// whether the packet is accepted
inline constexpr field lookup_result_status{0x2C, 0, 3, 0, "LOOKUP_RESULT.STATUS"};
inline constexpr std::uint32_t lookup_result_status_accepted = 0;
inline constexpr std::uint32_t lookup_result_status_no_buffer = 1;
inline constexpr std::uint32_t lookup_result_status_bounds = 2;
inline constexpr std::uint32_t lookup_result_status_access = 3;
inline constexpr std::uint32_t lookup_result_status_translation = 4;
// where its buffer is: 0 the host, 1 to 4 a GPU
inline constexpr field lookup_result_space{0x2C, 4, 3, 0, "LOOKUP_RESULT.SPACE"};
// the ring of completions
inline constexpr field lookup_result_ring{0x2C, 8, 8, 0, "LOOKUP_RESULT.RING"};
// A get request, whole: its header word and its payload
inline constexpr reg message{0x30, access::ro, 0x00000000, "MESSAGE"};
inline constexpr unsigned message_registers = 8;
// bits of the two words
inline constexpr field message_bits{0x30, 0, 32, 0, "MESSAGE.BITS"};
// Takes the get request out of the queue; then TASK_SEND may follow
inline constexpr reg message_take{0x50, access::wo, 0x00000000, "MESSAGE_TAKE"};
// any value
inline constexpr field message_take_any{0x50, 0, 1, 0, "MESSAGE_TAKE.ANY"};
// A get request for the transmit side, in the form of MESSAGE
inline constexpr reg task{0x54, access::rw, 0x00000000, "TASK"};
inline constexpr unsigned task_registers = 8;
// bits of the two words
inline constexpr field task_bits{0x54, 0, 32, 0, "TASK.BITS"};
// Hands TASK to the transmit side
inline constexpr reg task_send{0x74, access::wo, 0x00000000, "TASK_SEND"};
// any value
inline constexpr field task_send_any{0x74, 0, 1, 0, "TASK_SEND.ANY"};
// The driver's command
inline constexpr reg command{0x78, access::ro, 0x00000000, "COMMAND"};
// the command
inline constexpr field command_opcode{0x78, 0, 8, 0, "COMMAND.OPCODE"};
inline constexpr std::uint32_t command_opcode_set_buffer = 1;
inline constexpr std::uint32_t command_opcode_set_ring = 2;
inline constexpr std::uint32_t command_opcode_invalidate = 3;
inline constexpr std::uint32_t command_opcode_reset = 4;
inline constexpr std::uint32_t command_opcode_read_counter = 5;
inline constexpr std::uint32_t command_opcode_invalidate_all = 6;
// index of a buffer, a ring or a counter
inline constexpr field command_index{0x78, 16, 16, 0, "COMMAND.INDEX"};
// Operands of the command
inline constexpr reg command_data{0x7C, access::ro, 0x00000000, "COMMAND_DATA"};
inline constexpr unsigned command_data_registers = 8;
// depends on the opcode
inline constexpr field command_data_bits{0x7C, 0, 32, 0, "COMMAND_DATA.BITS"};
// Acknowledges the command: it applies to all later look-ups
inline constexpr reg command_done{0x9C, access::wo, 0x00000000, "COMMAND_DONE"};
// the answer; all ones for a command that is unknown or out of range
inline constexpr field command_done_value{0x9C, 0, 32, 0, "COMMAND_DONE.VALUE"};
// Address of a ring of completions in the host's memory, low and high half; its low 5 bits are ignored
inline constexpr reg ring_base{0xA0, access::rw, 0x00000000, "RING_BASE"};
inline constexpr unsigned ring_base_registers = 2;
// bits of the address
inline constexpr field ring_base_bits{0xA0, 0, 32, 0, "RING_BASE.BITS"};
// Its length
inline constexpr reg ring_entries{0xA8, access::rw, 0x00000000, "RING_ENTRIES"};
// completions
inline constexpr field ring_entries_count{0xA8, 0, 32, 0, "RING_ENTRIES.COUNT"};
// Sets a ring up, empty, by RING_BASE and RING_ENTRIES
inline constexpr reg ring_set{0xAC, access::wo, 0x00000000, "RING_SET"};
// index of the ring
inline constexpr field ring_set_ring{0xAC, 0, 8, 0, "RING_SET.RING"};
// Address of BUF_LIST. An entry whose space or ring does not exist is not valid, and reads so
inline constexpr reg buf_list{0xB0, access::ro, 0x00000000, "BUF_LIST"};
// address on the core's bus
inline constexpr field buf_list_base{0xB0, 0, 32, 0, "BUF_LIST.BASE"};
// Its length
inline constexpr reg buf_list_entries{0xB4, access::ro, 0x00000000, "BUF_LIST_ENTRIES"};
// entries of 32 bytes
inline constexpr field buf_list_entries_count{0xB4, 0, 16, 0, "BUF_LIST_ENTRIES.COUNT"};
// The part of the page tables that the window TABLES shows, low and high half
inline constexpr reg table_segment{0xB8, access::rw, 0x00000000, "TABLE_SEGMENT"};
inline constexpr unsigned table_segment_registers = 2;
// of a table's address divided by 2 GiB
inline constexpr field table_segment_bits{0xB8, 0, 32, 0, "TABLE_SEGMENT.BITS"};
// 0 packets accepted, 1 get requests, 2 and 3 bytes written, low and high half, 4 to 13 drops by reason
inline constexpr reg counter{0xC0, access::ro, 0x00000000, "COUNTER"};
inline constexpr unsigned counter_registers = 14;
// wraps
inline constexpr field counter_count{0xC0, 0, 32, 0, "COUNTER.COUNT"};
// Memories that gave a word other than was written to them; a soft reset keeps it
inline constexpr reg memory_error{0xF8, access::w1c, 0x00000000, "MEMORY_ERROR"};
// the packet buffer, in the payload of a packet that has been written
inline constexpr field memory_error_packet_buffer{0xF8, 0, 1, 0, "MEMORY_ERROR.PACKET_BUFFER"};
// BUF_LIST, in an entry that was searched, or read over the bus
inline constexpr field memory_error_buf_list{0xF8, 1, 1, 0, "MEMORY_ERROR.BUF_LIST"};
// the memory of ADDRESS: that of the first error since neither bit was set
inline constexpr field memory_error_first{0xF8, 8, 1, 0, "MEMORY_ERROR.FIRST"};
inline constexpr std::uint32_t memory_error_first_packet_buffer = 0;
inline constexpr std::uint32_t memory_error_first_buf_list = 1;
// index of the bad word of 16 bytes, or of the bad entry
inline constexpr field memory_error_address{0xF8, 16, 16, 0, "MEMORY_ERROR.ADDRESS"};
// Number of rings of completions
inline constexpr reg rings{0xFC, access::ro, 0x00000000, "RINGS"};
// 1 to 256; a driver's SET_BUFFER or SET_RING with another ring is refused
inline constexpr field rings_count{0xFC, 0, 16, 0, "RINGS.COUNT"};

inline constexpr std::array<reg, 22> all{{
    id,                // 0x00
    irq_status,        // 0x04
    irq_enable,        // 0x08
    lookup_header,     // 0x0C
    lookup_entry,      // 0x1C
    lookup_result,     // 0x2C
    message,           // 0x30
    message_take,      // 0x50
    task,              // 0x54
    task_send,         // 0x74
    command,           // 0x78
    command_data,      // 0x7C
    command_done,      // 0x9C
    ring_base,         // 0xA0
    ring_entries,      // 0xA8
    ring_set,          // 0xAC
    buf_list,          // 0xB0
    buf_list_entries,  // 0xB4
    table_segment,     // 0xB8
    counter,           // 0xC0
    memory_error,      // 0xF8
    rings,             // 0xFC
}};

}  // namespace contraflow::nic::nic_rx_registers
