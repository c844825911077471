// SPDX-License-Identifier: Apache-2.0
// A communication as the TLM model carries it out: who sends how many bytes to whom, and what became of them.
// What the source's memory holds is a function of the stream's key and the position, so that any byte that arrives can
// be told right or wrong.
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
    std::uint64_t key = 0;     // of its bytes
    std::uint64_t source = 0;  // where they begin, as PCIe addresses
    std::uint64_t destination = 0;
    std::uint64_t interrupt = 0;  // where its DMA engine announces its end, at the other end: a PCIe address

    // state
    std::uint64_t issued = 0;                           // bytes handed to the source's port (pull: asked for)
    std::uint64_t delivered = 0;                        // bytes that arrived
    std::uint64_t wrong = 0;                            // bytes found with another value, doubled, or out of order
    core::sim_time begun = core::sim_time::never();     // when the DMA engine took it up
    core::sim_time finished = core::sim_time::never();  // when its last byte arrived
    bool announced = false;                             // the interrupt has come

    // From its first arrival until any communication begins to arrive or ends after that.
    core::sim_time first_arrival = core::sim_time::never();
    core::sim_time first_step_end = core::sim_time::never();
    std::uint64_t first_step_bytes = 0;   // delivered meanwhile
    std::uint64_t before_first_step = 0;  // delivered when the step began

    bool done() const { return finished != core::sim_time::never(); }
};

void fill_payload(std::uint64_t key, std::uint64_t offset, std::uint8_t* data, std::uint32_t length);
// How many of these bytes are not what fill_payload wrote.
std::uint32_t count_wrong(std::uint64_t key, std::uint64_t offset, const std::uint8_t* data, std::uint32_t length);

}  // namespace contraflow::pcie
