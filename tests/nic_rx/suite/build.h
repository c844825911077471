// SPDX-License-Identifier: Apache-2.0
// The Verilated build of this program, of which all tests use the one block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// The block's parameters in this build.
struct parameters {
    unsigned buffer_words, packets, packets_in_flight, buffers, search_rate, host_tlb, gpu_tlb, writes, rings, mailbox;
    std::uint32_t list_base;
};
const parameters& built();
// Rings that tests set up.
inline unsigned most_rings() { return std::min(16u, built().rings); }

// The case with buffers and rings that this build has.
nic::receive_case fitting(nic::receive_case c);

// 0: no planted bug.
void choose_variant(std::uint32_t variant);
void clear_coverage();
void write_coverage(const std::string& file);

}  // namespace contraflow::testing
