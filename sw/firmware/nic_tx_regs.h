// SPDX-License-Identifier: Apache-2.0
// NIC transmit path: byte offsets and fields. Written by scripts/generate-registers from
// rtl/nic_tx/registers.yaml; change that instead.
#ifndef CF_NIC_TX_REGS_H
#define CF_NIC_TX_REGS_H

// these registers
#define CF_NIC_TX_REGISTERS_BASE 0x40000100u

// Identification; read only
#define CF_NIC_TX_ID_OFFSET 0x00u
#define CF_NIC_TX_ID_RESET 0xCF2C0001u
#define CF_NIC_TX_ID_VERSION_LSB 0u  // version of this register map
#define CF_NIC_TX_ID_VERSION_MASK 0x0000FFFFu
#define CF_NIC_TX_ID_BLOCK_LSB 16u  // the same for every transmit path
#define CF_NIC_TX_ID_BLOCK_MASK 0xFFFF0000u

// The request of the transmit side; read only
#define CF_NIC_TX_STATUS_OFFSET 0x04u
#define CF_NIC_TX_STATUS_RESET 0x00000000u
#define CF_NIC_TX_STATUS_EXTENT_LSB 0u  // the place of JOB's bytes
#define CF_NIC_TX_STATUS_EXTENT_MASK 0x00000001u
#define CF_NIC_TX_STATUS_READS_LSB 1u  // read requests
#define CF_NIC_TX_STATUS_READS_MASK 0x00000002u
#define CF_NIC_TX_STATUS_WINDOW_LSB 2u  // the next window
#define CF_NIC_TX_STATUS_WINDOW_MASK 0x00000004u

// Added to the root of a GPU's page table for reading, low and high half: not 0 where BAR1 is read; read only
#define CF_NIC_TX_SOURCE_TABLES_OFFSET 0x08u
#define CF_NIC_TX_SOURCE_TABLES_REGISTERS 2u
#define CF_NIC_TX_SOURCE_TABLES_RESET 0x00000000u
#define CF_NIC_TX_SOURCE_TABLES_BITS_LSB 0u  // bits of an address
#define CF_NIC_TX_SOURCE_TABLES_BITS_MASK 0xFFFFFFFFu

// The bytes to send; read only
#define CF_NIC_TX_JOB_OFFSET 0x10u
#define CF_NIC_TX_JOB_RESET 0x00000000u
#define CF_NIC_TX_JOB_SPACE_LSB 0u  // where it is: 0 the host, 1 to 4 a GPU, 7 unknown
#define CF_NIC_TX_JOB_SPACE_MASK 0x00000007u
#define CF_NIC_TX_JOB_PROCESS_LSB 16u  // whose memory it is
#define CF_NIC_TX_JOB_PROCESS_MASK 0xFFFF0000u

// The virtual address of the first byte without an extent, low and high half; read only
#define CF_NIC_TX_JOB_ADDRESS_OFFSET 0x14u
#define CF_NIC_TX_JOB_ADDRESS_REGISTERS 2u
#define CF_NIC_TX_JOB_ADDRESS_RESET 0x00000000u
#define CF_NIC_TX_JOB_ADDRESS_BITS_LSB 0u  // bits of the address
#define CF_NIC_TX_JOB_ADDRESS_BITS_MASK 0xFFFFFFFFu

// Bytes from there to the job's end; read only
#define CF_NIC_TX_JOB_LENGTH_OFFSET 0x1Cu
#define CF_NIC_TX_JOB_LENGTH_RESET 0x00000000u
#define CF_NIC_TX_JOB_LENGTH_BYTES_LSB 0u  // at least 1
#define CF_NIC_TX_JOB_LENGTH_BYTES_MASK 0xFFFFFFFFu

// The extent's first byte, low and high half: a bus address, or one in the GPU's memory or BAR1; read, write
#define CF_NIC_TX_EXTENT_ADDRESS_OFFSET 0x20u
#define CF_NIC_TX_EXTENT_ADDRESS_REGISTERS 2u
#define CF_NIC_TX_EXTENT_ADDRESS_RESET 0x00000000u
#define CF_NIC_TX_EXTENT_ADDRESS_BITS_LSB 0u  // bits of the address
#define CF_NIC_TX_EXTENT_ADDRESS_BITS_MASK 0xFFFFFFFFu

// Its length; read, write
#define CF_NIC_TX_EXTENT_LENGTH_OFFSET 0x28u
#define CF_NIC_TX_EXTENT_LENGTH_RESET 0x00000000u
#define CF_NIC_TX_EXTENT_LENGTH_BYTES_LSB 0u  // more than JOB_LENGTH count as JOB_LENGTH
#define CF_NIC_TX_EXTENT_LENGTH_BYTES_MASK 0xFFFFFFFFu

// Answers EXTENT; write only
#define CF_NIC_TX_EXTENT_RESULT_OFFSET 0x2Cu
#define CF_NIC_TX_EXTENT_RESULT_RESET 0x00000000u
#define CF_NIC_TX_EXTENT_RESULT_STATUS_LSB 0u  // whether the memory is registered
#define CF_NIC_TX_EXTENT_RESULT_STATUS_MASK 0x00000001u
#define CF_NIC_TX_EXTENT_RESULT_STATUS_FOUND 0u
#define CF_NIC_TX_EXTENT_RESULT_STATUS_NOT_REGISTERED 1u
#define CF_NIC_TX_EXTENT_RESULT_SPACE_LSB 4u  // where it is: 0 the host, 1 to 4 a GPU
#define CF_NIC_TX_EXTENT_RESULT_SPACE_MASK 0x00000070u

// The first line's address in GPU memory, low and high half; read only
#define CF_NIC_TX_READ_ADDRESS_OFFSET 0x30u
#define CF_NIC_TX_READ_ADDRESS_REGISTERS 2u
#define CF_NIC_TX_READ_ADDRESS_RESET 0x00000000u
#define CF_NIC_TX_READ_ADDRESS_BITS_LSB 0u  // bits of the address
#define CF_NIC_TX_READ_ADDRESS_BITS_MASK 0xFFFFFFFFu

// The place of the first line's answer; read only
#define CF_NIC_TX_READ_PLACE_OFFSET 0x38u
#define CF_NIC_TX_READ_PLACE_RESET 0x00000000u
#define CF_NIC_TX_READ_PLACE_LINE_LSB 0u  // line of the answer window
#define CF_NIC_TX_READ_PLACE_LINE_MASK 0x0000FFFFu

// How many requests may be written now; read only
#define CF_NIC_TX_READ_COUNT_OFFSET 0x3Cu
#define CF_NIC_TX_READ_COUNT_RESET 0x00000000u
#define CF_NIC_TX_READ_COUNT_LINES_LSB 0u  // lines of 128 bytes
#define CF_NIC_TX_READ_COUNT_LINES_MASK 0x0000FFFFu

// A read request, low and high half: the high half sends it; write only
#define CF_NIC_TX_READ_REQUEST_OFFSET 0x40u
#define CF_NIC_TX_READ_REQUEST_REGISTERS 2u
#define CF_NIC_TX_READ_REQUEST_RESET 0x00000000u
#define CF_NIC_TX_READ_REQUEST_BITS_LSB 0u  // bits of the request
#define CF_NIC_TX_READ_REQUEST_BITS_MASK 0xFFFFFFFFu

// Answers WINDOW; write only
#define CF_NIC_TX_WINDOW_START_OFFSET 0x48u
#define CF_NIC_TX_WINDOW_START_RESET 0x00000000u
#define CF_NIC_TX_WINDOW_START_ANY_LSB 0u  // any value
#define CF_NIC_TX_WINDOW_START_ANY_MASK 0x00000001u

#endif  // CF_NIC_TX_REGS_H
