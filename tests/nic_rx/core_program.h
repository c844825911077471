// SPDX-License-Identifier: Apache-2.0
// What a core does: commands, look-ups and get requests, by registers, as the firmware of sw/firmware/nic does. It
// works in the bench's cycles, whenever the interrupt is on. A refused access is a broken rule of the bench.
#pragma once

#include <cstdint>
#include <map>

#include "nic_rx/rx_bench.h"

namespace contraflow::testing {

class core_program {
public:
    explicit core_program(rx_bench& b);

    void serve();
    unsigned lookups() const { return lookups_; }
    unsigned messages() const { return messages_; }

private:
    std::uint32_t load(unsigned offset);
    void store(unsigned offset, std::uint32_t value);
    void command();
    void message();
    void look_up();
    nic::packet_header header(unsigned offset);

    rx_bench& b_;
    std::map<unsigned, nic::buffer_entry> buffers_;
    unsigned lookups_ = 0, messages_ = 0;
};

}  // namespace contraflow::testing
