// SPDX-License-Identifier: Apache-2.0
// A communication in the TLM model: source, destination, size and progress. The source's bytes are a function of the
// stream's key and the position, so every received byte can be checked.
#pragma once

#include <cstdint>
#include <string>

#include "core/units.h"

namespace contraflow::pcie {

struct stream {
    std::string name;
    std::uint32_t from = 0;  // endpoint numbers
    std::uint32_t to = 0;
    core::bytes size{};
    core::sim_time start{};
    std::uint64_t key = 0;     // generates its bytes
    std::uint64_t source = 0;  // PCIe addresses of its first byte
    std::uint64_t destination = 0;
    std::uint64_t interrupt = 0;  // PCIe address to which its DMA engine announces its end, at the other endpoint

    // state
    std::uint64_t issued = 0;                           // bytes handed to the source's port (pull: requested)
    std::uint64_t delivered = 0;                        // bytes that arrived
    std::uint64_t wrong = 0;                            // bytes with a wrong value, received twice, or out of order
    core::sim_time begun = core::sim_time::never();     // when the DMA engine began it
    core::sim_time finished = core::sim_time::never();  // when its last byte arrived
    bool announced = false;                             // the interrupt has arrived

    // The first step: from its first arrival until any other communication begins to arrive or ends.
    core::sim_time first_arrival = core::sim_time::never();
    core::sim_time first_step_end = core::sim_time::never();
    std::uint64_t first_step_bytes = 0;   // delivered in that step
    std::uint64_t before_first_step = 0;  // delivered when the step began

    bool done() const { return finished != core::sim_time::never(); }
};

void fill_payload(std::uint64_t key, std::uint64_t offset, std::uint8_t* data, std::uint32_t length);
// The number of bytes that differ from those of fill_payload.
std::uint32_t count_wrong(std::uint64_t key, std::uint64_t offset, const std::uint8_t* data, std::uint32_t length);

}  // namespace contraflow::pcie
