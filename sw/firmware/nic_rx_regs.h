// SPDX-License-Identifier: Apache-2.0
// NIC receive path: byte offsets and fields. Written by scripts/generate-registers from
// rtl/nic_rx/registers.yaml; change that instead.
#ifndef CF_NIC_RX_REGS_H
#define CF_NIC_RX_REGS_H

// these registers
#define CF_NIC_RX_REGISTERS_BASE 0x40000000u

// 2 GiB of page tables: those at TABLE_SEGMENT times 2 GiB
#define CF_NIC_RX_TABLES_BASE 0x80000000u

// Identification; read only
#define CF_NIC_RX_ID_OFFSET 0x00u
#define CF_NIC_RX_ID_RESET 0xCF2B0004u
#define CF_NIC_RX_ID_VERSION_LSB 0u  // version of this register map
#define CF_NIC_RX_ID_VERSION_MASK 0x0000FFFFu
#define CF_NIC_RX_ID_BLOCK_LSB 16u  // the same for every receive path
#define CF_NIC_RX_ID_BLOCK_MASK 0xFFFF0000u

// Pending requests for the core; read only
#define CF_NIC_RX_IRQ_STATUS_OFFSET 0x04u
#define CF_NIC_RX_IRQ_STATUS_RESET 0x00000000u
#define CF_NIC_RX_IRQ_STATUS_LOOKUP_LSB 0u  // a packet waits for its buffer and pages
#define CF_NIC_RX_IRQ_STATUS_LOOKUP_MASK 0x00000001u
#define CF_NIC_RX_IRQ_STATUS_MESSAGE_LSB 1u  // a get request waits, and the task before has been taken
#define CF_NIC_RX_IRQ_STATUS_MESSAGE_MASK 0x00000002u
#define CF_NIC_RX_IRQ_STATUS_COMMAND_LSB 2u  // a command of the driver waits; it is served before look-ups
#define CF_NIC_RX_IRQ_STATUS_COMMAND_MASK 0x00000004u
#define CF_NIC_RX_IRQ_STATUS_TRANSMIT_LSB 3u  // the transmit side has a request; its STATUS says which
#define CF_NIC_RX_IRQ_STATUS_TRANSMIT_MASK 0x00000008u
#define CF_NIC_RX_IRQ_STATUS_MEMORY_LSB 4u  // MEMORY_ERROR tells of a memory
#define CF_NIC_RX_IRQ_STATUS_MEMORY_MASK 0x00000010u

// The external interrupt is on while an enabled bit of IRQ_STATUS is; read, write
#define CF_NIC_RX_IRQ_ENABLE_OFFSET 0x08u
#define CF_NIC_RX_IRQ_ENABLE_RESET 0x00000000u
#define CF_NIC_RX_IRQ_ENABLE_LOOKUP_LSB 0u  // as in IRQ_STATUS
#define CF_NIC_RX_IRQ_ENABLE_LOOKUP_MASK 0x00000001u
#define CF_NIC_RX_IRQ_ENABLE_MESSAGE_LSB 1u  // as in IRQ_STATUS
#define CF_NIC_RX_IRQ_ENABLE_MESSAGE_MASK 0x00000002u
#define CF_NIC_RX_IRQ_ENABLE_COMMAND_LSB 2u  // as in IRQ_STATUS
#define CF_NIC_RX_IRQ_ENABLE_COMMAND_MASK 0x00000004u
#define CF_NIC_RX_IRQ_ENABLE_TRANSMIT_LSB 3u  // as in IRQ_STATUS
#define CF_NIC_RX_IRQ_ENABLE_TRANSMIT_MASK 0x00000008u
#define CF_NIC_RX_IRQ_ENABLE_MEMORY_LSB 4u  // as in IRQ_STATUS
#define CF_NIC_RX_IRQ_ENABLE_MEMORY_MASK 0x00000010u

// The packet's header word; read only
#define CF_NIC_RX_LOOKUP_HEADER_OFFSET 0x0Cu
#define CF_NIC_RX_LOOKUP_HEADER_REGISTERS 4u
#define CF_NIC_RX_LOOKUP_HEADER_RESET 0x00000000u
#define CF_NIC_RX_LOOKUP_HEADER_BITS_LSB 0u  // bits of the word
#define CF_NIC_RX_LOOKUP_HEADER_BITS_MASK 0xFFFFFFFFu

// The last level's entries of the packet's pages, low and high half of the first, then of the second; read, write
#define CF_NIC_RX_LOOKUP_ENTRY_OFFSET 0x1Cu
#define CF_NIC_RX_LOOKUP_ENTRY_REGISTERS 4u
#define CF_NIC_RX_LOOKUP_ENTRY_RESET 0x00000000u
#define CF_NIC_RX_LOOKUP_ENTRY_BITS_LSB 0u  // as in the table
#define CF_NIC_RX_LOOKUP_ENTRY_BITS_MASK 0xFFFFFFFFu

// Answers the look-up; write only
#define CF_NIC_RX_LOOKUP_RESULT_OFFSET 0x2Cu
#define CF_NIC_RX_LOOKUP_RESULT_RESET 0x00000000u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_LSB 0u  // whether the packet is accepted
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_MASK 0x00000007u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCEPTED 0u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_NO_BUFFER 1u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_BOUNDS 2u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_ACCESS 3u
#define CF_NIC_RX_LOOKUP_RESULT_STATUS_TRANSLATION 4u
#define CF_NIC_RX_LOOKUP_RESULT_SPACE_LSB 4u  // where its buffer is: 0 the host, 1 to 4 a GPU
#define CF_NIC_RX_LOOKUP_RESULT_SPACE_MASK 0x00000070u
#define CF_NIC_RX_LOOKUP_RESULT_RING_LSB 8u  // the ring of completions
#define CF_NIC_RX_LOOKUP_RESULT_RING_MASK 0x0000FF00u

// A get request, whole: its header word and its payload; read only
#define CF_NIC_RX_MESSAGE_OFFSET 0x30u
#define CF_NIC_RX_MESSAGE_REGISTERS 8u
#define CF_NIC_RX_MESSAGE_RESET 0x00000000u
#define CF_NIC_RX_MESSAGE_BITS_LSB 0u  // bits of the two words
#define CF_NIC_RX_MESSAGE_BITS_MASK 0xFFFFFFFFu

// Takes the get request out of the queue; then TASK_SEND may follow; write only
#define CF_NIC_RX_MESSAGE_TAKE_OFFSET 0x50u
#define CF_NIC_RX_MESSAGE_TAKE_RESET 0x00000000u
#define CF_NIC_RX_MESSAGE_TAKE_ANY_LSB 0u  // any value
#define CF_NIC_RX_MESSAGE_TAKE_ANY_MASK 0x00000001u

// A get request for the transmit side, in the form of MESSAGE; read, write
#define CF_NIC_RX_TASK_OFFSET 0x54u
#define CF_NIC_RX_TASK_REGISTERS 8u
#define CF_NIC_RX_TASK_RESET 0x00000000u
#define CF_NIC_RX_TASK_BITS_LSB 0u  // bits of the two words
#define CF_NIC_RX_TASK_BITS_MASK 0xFFFFFFFFu

// Hands TASK to the transmit side; write only
#define CF_NIC_RX_TASK_SEND_OFFSET 0x74u
#define CF_NIC_RX_TASK_SEND_RESET 0x00000000u
#define CF_NIC_RX_TASK_SEND_ANY_LSB 0u  // any value
#define CF_NIC_RX_TASK_SEND_ANY_MASK 0x00000001u

// The driver's command; read only
#define CF_NIC_RX_COMMAND_OFFSET 0x78u
#define CF_NIC_RX_COMMAND_RESET 0x00000000u
#define CF_NIC_RX_COMMAND_OPCODE_LSB 0u  // the command
#define CF_NIC_RX_COMMAND_OPCODE_MASK 0x000000FFu
#define CF_NIC_RX_COMMAND_OPCODE_SET_BUFFER 1u
#define CF_NIC_RX_COMMAND_OPCODE_SET_RING 2u
#define CF_NIC_RX_COMMAND_OPCODE_INVALIDATE 3u
#define CF_NIC_RX_COMMAND_OPCODE_RESET 4u
#define CF_NIC_RX_COMMAND_OPCODE_READ_COUNTER 5u
#define CF_NIC_RX_COMMAND_OPCODE_INVALIDATE_ALL 6u
#define CF_NIC_RX_COMMAND_INDEX_LSB 16u  // index of a buffer, a ring or a counter
#define CF_NIC_RX_COMMAND_INDEX_MASK 0xFFFF0000u

// Operands of the command; read only
#define CF_NIC_RX_COMMAND_DATA_OFFSET 0x7Cu
#define CF_NIC_RX_COMMAND_DATA_REGISTERS 8u
#define CF_NIC_RX_COMMAND_DATA_RESET 0x00000000u
#define CF_NIC_RX_COMMAND_DATA_BITS_LSB 0u  // depends on the opcode
#define CF_NIC_RX_COMMAND_DATA_BITS_MASK 0xFFFFFFFFu

// Acknowledges the command: it applies to all later look-ups; write only
#define CF_NIC_RX_COMMAND_DONE_OFFSET 0x9Cu
#define CF_NIC_RX_COMMAND_DONE_RESET 0x00000000u
#define CF_NIC_RX_COMMAND_DONE_VALUE_LSB 0u  // the answer; all ones for a command that is unknown or out of range
#define CF_NIC_RX_COMMAND_DONE_VALUE_MASK 0xFFFFFFFFu

// Address of a ring of completions in the host's memory, low and high half; its low 5 bits are ignored; read, write
#define CF_NIC_RX_RING_BASE_OFFSET 0xA0u
#define CF_NIC_RX_RING_BASE_REGISTERS 2u
#define CF_NIC_RX_RING_BASE_RESET 0x00000000u
#define CF_NIC_RX_RING_BASE_BITS_LSB 0u  // bits of the address
#define CF_NIC_RX_RING_BASE_BITS_MASK 0xFFFFFFFFu

// Its length; read, write
#define CF_NIC_RX_RING_ENTRIES_OFFSET 0xA8u
#define CF_NIC_RX_RING_ENTRIES_RESET 0x00000000u
#define CF_NIC_RX_RING_ENTRIES_COUNT_LSB 0u  // completions
#define CF_NIC_RX_RING_ENTRIES_COUNT_MASK 0xFFFFFFFFu

// Sets a ring up, empty, by RING_BASE and RING_ENTRIES; write only
#define CF_NIC_RX_RING_SET_OFFSET 0xACu
#define CF_NIC_RX_RING_SET_RESET 0x00000000u
#define CF_NIC_RX_RING_SET_RING_LSB 0u  // index of the ring
#define CF_NIC_RX_RING_SET_RING_MASK 0x000000FFu

// Address of BUF_LIST. An entry whose space or ring does not exist is not valid, and reads so; read only
#define CF_NIC_RX_BUF_LIST_OFFSET 0xB0u
#define CF_NIC_RX_BUF_LIST_RESET 0x00000000u
#define CF_NIC_RX_BUF_LIST_BASE_LSB 0u  // address on the core's bus
#define CF_NIC_RX_BUF_LIST_BASE_MASK 0xFFFFFFFFu

// Its length; read only
#define CF_NIC_RX_BUF_LIST_ENTRIES_OFFSET 0xB4u
#define CF_NIC_RX_BUF_LIST_ENTRIES_RESET 0x00000000u
#define CF_NIC_RX_BUF_LIST_ENTRIES_COUNT_LSB 0u  // entries of 32 bytes
#define CF_NIC_RX_BUF_LIST_ENTRIES_COUNT_MASK 0x0000FFFFu

// The part of the page tables that the window TABLES shows, low and high half; read, write
#define CF_NIC_RX_TABLE_SEGMENT_OFFSET 0xB8u
#define CF_NIC_RX_TABLE_SEGMENT_REGISTERS 2u
#define CF_NIC_RX_TABLE_SEGMENT_RESET 0x00000000u
#define CF_NIC_RX_TABLE_SEGMENT_BITS_LSB 0u  // of a table's address divided by 2 GiB
#define CF_NIC_RX_TABLE_SEGMENT_BITS_MASK 0xFFFFFFFFu

// 0 packets accepted, 1 get requests, 2 and 3 bytes written, low and high half, 4 to 13 drops by reason; read only
#define CF_NIC_RX_COUNTER_OFFSET 0xC0u
#define CF_NIC_RX_COUNTER_REGISTERS 14u
#define CF_NIC_RX_COUNTER_RESET 0x00000000u
#define CF_NIC_RX_COUNTER_COUNT_LSB 0u  // wraps
#define CF_NIC_RX_COUNTER_COUNT_MASK 0xFFFFFFFFu

// Memories that gave a word other than was written to them; a soft reset keeps it; a written 1 clears
#define CF_NIC_RX_MEMORY_ERROR_OFFSET 0xF8u
#define CF_NIC_RX_MEMORY_ERROR_RESET 0x00000000u
// the packet buffer, in the payload of a packet that has been written
#define CF_NIC_RX_MEMORY_ERROR_PACKET_BUFFER_LSB 0u
#define CF_NIC_RX_MEMORY_ERROR_PACKET_BUFFER_MASK 0x00000001u
#define CF_NIC_RX_MEMORY_ERROR_BUF_LIST_LSB 1u  // BUF_LIST, in an entry that was searched, or read over the bus
#define CF_NIC_RX_MEMORY_ERROR_BUF_LIST_MASK 0x00000002u
#define CF_NIC_RX_MEMORY_ERROR_FIRST_LSB 8u  // the memory of ADDRESS: that of the first error since neither bit was set
#define CF_NIC_RX_MEMORY_ERROR_FIRST_MASK 0x00000100u
#define CF_NIC_RX_MEMORY_ERROR_FIRST_PACKET_BUFFER 0u
#define CF_NIC_RX_MEMORY_ERROR_FIRST_BUF_LIST 1u
#define CF_NIC_RX_MEMORY_ERROR_ADDRESS_LSB 16u  // index of the bad word of 16 bytes, or of the bad entry
#define CF_NIC_RX_MEMORY_ERROR_ADDRESS_MASK 0xFFFF0000u

// Number of rings of completions; read only
#define CF_NIC_RX_RINGS_OFFSET 0xFCu
#define CF_NIC_RX_RINGS_RESET 0x00000000u
#define CF_NIC_RX_RINGS_COUNT_LSB 0u  // 1 to 256; a driver's SET_BUFFER or SET_RING with another ring is refused
#define CF_NIC_RX_RINGS_COUNT_MASK 0x0000FFFFu

#endif  // CF_NIC_RX_REGS_H
