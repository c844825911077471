// SPDX-License-Identifier: Apache-2.0
// What may happen at any time beside packets, and changes nothing of what they do: invalidations, for which
// pages may move (behaviour::pages_move), the same buffer set again, rings read late, commands that are refused,
// counters read, accesses of the bus, pauses, the other side's interrupt. Every answer, and every value read, is
// compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/random.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic_rx/core_program.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/suite/cover.h"

namespace contraflow::testing {

class disturbance {
public:
    // `core`: who serves the interrupts, or none.
    disturbance(rx_bench& b, core_program* core, cover& c, std::uint64_t seed);

    // In every cycle, as the bench's core.
    void cycle();
    // No command begins, or they may again; runs until the one that has begun is answered.
    void hold_commands(bool hold);
    // A hard reset has come: no command waits for an answer, none begins, and registers are as after it.
    void cut_off();
    bool reads_rings = false;     // the host reads rings now and then
    bool windows_closed = false;  // so that one may move to the page that it has shown
    bool keeps_list = false;      // no buffer is set again, nor MEMORY_ERROR cleared: bits change in memories
    // Nothing begins from here on; runs until what has begun is answered.
    void end();

private:
    void command();
    void bus();
    void check_answer();
    // Registers that are read as they were written; the place of each is its address.
    std::uint32_t write_value(unsigned place, std::uint32_t value);

    rx_bench& b_;
    core_program* const core_;
    cover& cover_;
    core::random_source random_;
    std::array<std::uint32_t, rx_bench::registers> written_{};
    bool waiting_ = false, held_ = true, ended_ = false;  // for an answer; no command may begin
    bool refused_ = false;
    bool moves_ = false;                    // pages, with the command that waits
    std::optional<std::uint64_t> removed_;  // the root whose translations it removes; none: all
    bool any_answer_ = false;               // a counter, which grows
};

}  // namespace contraflow::testing
