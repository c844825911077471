// SPDX-License-Identifier: Apache-2.0
// The pins of cf_lane_reversal, and of its cf_lane_core alone, as plain values for any number of lanes, and the
// interface that drives and reads them.
#pragma once

#include <cstdint>

namespace contraflow::cosim {

struct inputs {
    bool rst_n = false;
    bool psel = false, penable = false, pwrite = false;
    std::uint8_t paddr = 0;
    std::uint32_t pwdata = 0;
    bool launch = false;      // for the next cycle: sampled by the edge that begins it
    std::uint32_t fault = 0;  // likewise
    std::uint32_t a_valid = 0, b_valid = 0;
    // Inputs of the core alone, from the monitors.
    bool window_end = false;
    bool totals = false;  // all that follow are those of the window that ended last
    std::uint64_t busy_ab = 0, busy_ba = 0, capacity_ab = 0, capacity_ba = 0;
    friend bool operator==(const inputs&, const inputs&) = default;
};

struct outputs {
    std::uint32_t prdata = 0;
    bool pready = false, pslverr = false, irq = false;
    std::uint32_t a_serve = 0, b_serve = 0, a_drive = 0, b_drive = 0;
    bool running = false;
    bool idle = false;  // apart from the monitors, no register changes at the next edge
    std::uint8_t lanes_ab = 0, lanes_ba = 0, turning = 0, failed = 0;
    bool window_end = false;
    std::uint8_t decision = 0, pending = 0;
    bool under_way = false;  // a lane turns because of a decision, or has joined in the cycle before
    bool totals = false;     // all that follow are those of the window that ended last
    std::uint64_t busy_ab = 0, busy_ba = 0, capacity_ab = 0, capacity_ba = 0;  // outputs of the whole block
    std::uint64_t sample_time = 0;                                             // an output of the core alone
    friend bool operator==(const outputs&, const outputs&) = default;
};

// A block and its reference have the same interface. A cycle is edge(), then drive(): inputs change while the clock is
// low.
class pins_if {
public:
    virtual ~pins_if() = default;
    // The rising edge; registered outputs then show the new cycle.
    virtual void edge() = 0;
    // Sets the inputs of this cycle; all outputs then have their values at its end.
    virtual void drive(const inputs& in) = 0;
    virtual const outputs& out() const = 0;
};

}  // namespace contraflow::cosim
