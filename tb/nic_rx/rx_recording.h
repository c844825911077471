// SPDX-License-Identifier: Apache-2.0
// The inputs of a block at each edge of its clock that was clocked: enough to play it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "core/units.h"
#include "nic_rx/nic_rx_block.h"

namespace contraflow::nic_rx {

struct recorded_edge {
    std::uint64_t cycle = 0;  // the one that it begins, from time 0 on
    inputs in;
};

class rx_recording {
public:
    // Where the block is, which one it is, and the time of a cycle.
    rx_recording(std::string name, build b, core::sim_time cycle);

    const std::string& name() const { return name_; }
    build of() const { return build_; }
    core::sim_time cycle() const { return cycle_; }

    // In order; several edges may begin one cycle, as those of a reset do, which takes no time.
    void add(std::uint64_t cycle, const inputs& in);

    // Reads it from the beginning.
    class reader {
    public:
        explicit reader(const rx_recording& of) : of_(&of) {}
        // False: there are no more.
        bool read();
        const recorded_edge& edge() const { return now_; }

    private:
        const rx_recording* of_;
        std::size_t next_ = 0;
        recorded_edge now_;
    };

private:
    const std::string name_;
    const build build_;
    const core::sim_time cycle_;
    recorded_edge last_;
    // An entry: which 8 bytes of the inputs change, and cycles since the last edge, 32 bits each; then those bytes.
    std::deque<std::uint64_t> entries_;
};

}  // namespace contraflow::nic_rx
