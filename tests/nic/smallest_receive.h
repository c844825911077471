// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nic/receive/receive_spec.h"

namespace contraflow::testing {

// The smallest buffers that are possible.
inline nic::receive_spec smallest_receive() {
    nic::receive_spec s;
    s.packet_buffer = {2 * nic::most_words * nic::word_bytes};
    s.packets = s.writes = 2;
    s.packets_in_flight = s.host_tlb = s.gpu_tlb = s.search_rate = 1;
    return s;
}

}  // namespace contraflow::testing
