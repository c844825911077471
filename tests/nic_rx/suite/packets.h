// SPDX-License-Identifier: Apache-2.0
// Packets that several directed tests send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nic/packet.h"
#include "nic/receive/receive_case.h"

namespace contraflow::testing {

using bytes = std::vector<std::uint8_t>;

// With so many bytes of payload, whatever the header says.
bytes with(const nic::packet_header& h, std::size_t payload);

// The header of `put`.
nic::packet_header good_header(std::uint64_t offset, std::uint16_t length);

// A packet that the check of that reason drops, and no check before it.
bytes dropped_for(nic::drop_reason reason);

std::vector<bytes> get_requests(std::uint8_t count);

}  // namespace contraflow::testing
