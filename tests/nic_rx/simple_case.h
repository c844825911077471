// SPDX-License-Identifier: Apache-2.0
// A case with one buffer of 64 KiB at 0x10000, entry 0, of process 5, all pages there; and packets for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// An entry of the last level with a page, and a GPU's token, of any bits: another one for each number.
std::uint64_t any_page(std::uint64_t number);
// So many bytes of any value: others for each `which`.
std::vector<std::uint8_t> any_bytes(std::uint64_t which, std::size_t count);
nic::receive_case one_buffer(nic::memory_space space = nic::memory_space::host);
// A put whose first byte goes to that byte of the buffer. Its bytes are any_bytes(offset).
std::vector<std::uint8_t> put(std::uint64_t offset, std::uint32_t length, bool notify = false);
// Two pages of a GPU's buffer that lie on one physical page, with two tokens, and four packets, the last into both.
nic::receive_case two_tokens_of_a_page();

}  // namespace contraflow::testing
