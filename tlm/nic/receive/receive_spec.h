// SPDX-License-Identifier: Apache-2.0
// Sizes and rates of the receive datapath in hardware.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "nic/packet.h"

namespace contraflow::nic {

struct receive_spec {
    core::frequency clock{200e6};
    core::bytes packet_buffer{16384};
    std::uint32_t packets = 16;
    std::uint32_t buffers = 64;
    std::uint32_t search_rate = 8;
    std::uint32_t host_tlb = 32;
    std::uint32_t gpu_tlb = 32;
    std::uint32_t max_payload = 128;  // bytes
    std::uint32_t writes = 32;
    std::uint32_t packets_in_flight = 8;
    std::uint32_t rings = 16;

    static void describe(config::fields<receive_spec>& f);
};

}  // namespace contraflow::nic
