// SPDX-License-Identifier: Apache-2.0
// NIC transmit path: the register map, by name. Written by scripts/generate-registers from
// rtl/nic_tx/registers.yaml; change that instead.
#pragma once

#include <array>
#include <cstdint>

#include "core/register_map.h"

namespace contraflow::nic::nic_tx_registers {

using access = core::register_access;
using field = core::register_field;
using reg = core::mapped_register;

// these registers
inline constexpr std::uint32_t registers_base = 0x40000100;
// Identification
inline constexpr reg id{0x00, access::ro, 0xCF2C0001, "ID"};
// version of this register map
inline constexpr field id_version{0x00, 0, 16, 1, "ID.VERSION"};
// the same for every transmit path
inline constexpr field id_block{0x00, 16, 16, 53036, "ID.BLOCK"};
// The request of the transmit side
inline constexpr reg status{0x04, access::ro, 0x00000000, "STATUS"};
// the place of JOB's bytes
inline constexpr field status_extent{0x04, 0, 1, 0, "STATUS.EXTENT"};
// read requests
inline constexpr field status_reads{0x04, 1, 1, 0, "STATUS.READS"};
// the next window
inline constexpr field status_window{0x04, 2, 1, 0, "STATUS.WINDOW"};
// Added to the root of a GPU's page table for reading, low and high half: not 0 where BAR1 is read
inline constexpr reg source_tables{0x08, access::ro, 0x00000000, "SOURCE_TABLES"};
inline constexpr unsigned source_tables_registers = 2;
// bits of an address
inline constexpr field source_tables_bits{0x08, 0, 32, 0, "SOURCE_TABLES.BITS"};
// The bytes to send
inline constexpr reg job{0x10, access::ro, 0x00000000, "JOB"};
// where it is: 0 the host, 1 to 4 a GPU, 7 unknown
inline constexpr field job_space{0x10, 0, 3, 0, "JOB.SPACE"};
// whose memory it is
inline constexpr field job_process{0x10, 16, 16, 0, "JOB.PROCESS"};
// The virtual address of the first byte without an extent, low and high half
inline constexpr reg job_address{0x14, access::ro, 0x00000000, "JOB_ADDRESS"};
inline constexpr unsigned job_address_registers = 2;
// bits of the address
inline constexpr field job_address_bits{0x14, 0, 32, 0, "JOB_ADDRESS.BITS"};
// Bytes from there to the job's end
inline constexpr reg job_length{0x1C, access::ro, 0x00000000, "JOB_LENGTH"};
// at least 1
inline constexpr field job_length_bytes{0x1C, 0, 32, 0, "JOB_LENGTH.BYTES"};
// The extent's first byte, low and high half: a bus address, or one in the GPU's memory or BAR1
inline constexpr reg extent_address{0x20, access::rw, 0x00000000, "EXTENT_ADDRESS"};
inline constexpr unsigned extent_address_registers = 2;
// bits of the address
inline constexpr field extent_address_bits{0x20, 0, 32, 0, "EXTENT_ADDRESS.BITS"};
// Its length
inline constexpr reg extent_length{0x28, access::rw, 0x00000000, "EXTENT_LENGTH"};
// more than JOB_LENGTH count as JOB_LENGTH
inline constexpr field extent_length_bytes{0x28, 0, 32, 0, "EXTENT_LENGTH.BYTES"};
// Answers EXTENT
inline constexpr reg extent_result{0x2C, access::wo, 0x00000000, "EXTENT_RESULT"};
// whether the memory is registered
inline constexpr field extent_result_status{0x2C, 0, 1, 0, "EXTENT_RESULT.STATUS"};
inline constexpr std::uint32_t extent_result_status_found = 0;
inline constexpr std::uint32_t extent_result_status_not_registered = 1;
// where it is: 0 the host, 1 to 4 a GPU
inline constexpr field extent_result_space{0x2C, 4, 3, 0, "EXTENT_RESULT.SPACE"};
// The first line's address in GPU memory, low and high half
inline constexpr reg read_address{0x30, access::ro, 0x00000000, "READ_ADDRESS"};
inline constexpr unsigned read_address_registers = 2;
// bits of the address
inline constexpr field read_address_bits{0x30, 0, 32, 0, "READ_ADDRESS.BITS"};
// The place of the first line's answer
inline constexpr reg read_place{0x38, access::ro, 0x00000000, "READ_PLACE"};
// line of the answer window
inline constexpr field read_place_line{0x38, 0, 16, 0, "READ_PLACE.LINE"};
// How many requests may be written now
inline constexpr reg read_count{0x3C, access::ro, 0x00000000, "READ_COUNT"};
// lines of 128 bytes
inline constexpr field read_count_lines{0x3C, 0, 16, 0, "READ_COUNT.LINES"};
// A read request, low and high half: the high half sends it
inline constexpr reg read_request{0x40, access::wo, 0x00000000, "READ_REQUEST"};
inline constexpr unsigned read_request_registers = 2;
// bits of the request
inline constexpr field read_request_bits{0x40, 0, 32, 0, "READ_REQUEST.BITS"};
// Answers WINDOW
inline constexpr reg window_start{0x48, access::wo, 0x00000000, "WINDOW_START"};
// any value
inline constexpr field window_start_any{0x48, 0, 1, 0, "WINDOW_START.ANY"};

inline constexpr std::array<reg, 14> all{{
    id,              // 0x00
    status,          // 0x04
    source_tables,   // 0x08
    job,             // 0x10
    job_address,     // 0x14
    job_length,      // 0x1C
    extent_address,  // 0x20
    extent_length,   // 0x28
    extent_result,   // 0x2C
    read_address,    // 0x30
    read_place,      // 0x38
    read_count,      // 0x3C
    read_request,    // 0x40
    window_start,    // 0x48
}};

}  // namespace contraflow::nic::nic_tx_registers
