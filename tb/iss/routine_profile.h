// SPDX-License-Identifier: Apache-2.0
// A core's cycles by routine. With a trace, each time in a routine is a slice. Every cycle belongs to
// one row, so the rows sum to the cycles that the core has run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "iss/elf_file.h"
#include "observe/trace.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::iss {

class routine_profile {
public:
    using routine = std::uint16_t;
    static constexpr routine unknown = 0;  // code that no symbol covers
    static constexpr routine idle = 1;     // wfi, until an interrupt is pending

    struct row {
        std::string name;
        std::uint64_t cycles = 0;
        std::uint64_t entries = 0;  // arrivals at its first instruction from another routine
    };

    routine_profile();

    // Sets the routines of another program; everything counts from 0.
    void load(const std::vector<elf_file::symbol>& functions);
    routine at(std::uint32_t pc) const;
    const std::string& name(routine r) const { return rows_[r].name; }
    bool begins(routine r, std::uint32_t pc) const {
        return r >= fixed_rows && functions_[r - fixed_rows].address == pc;
    }

    // From that cycle on the core is in that routine. Cycles must not decrease.
    void enter(routine r, bool at_its_first, std::uint64_t cycle);
    // Accounts for the cycles up to that one.
    void advance(std::uint64_t cycle);

    // Ends the open slice; call it at the end of the run.
    void end_trace(std::uint64_t cycle);
    // Null: no trace. The clock gives the time of a cycle.
    void set_trace(observe::trace* trace, const std::string& process, core::frequency clock);
    // A bit for each routine, `scope`.NAME. Another load() ends them.
    void set_waves(observe::wave_sink_if& waves, const std::string& scope, core::frequency clock);

    // In order of address; includes routines without cycles.
    const std::vector<row>& rows() const { return rows_; }
    std::uint64_t total() const { return now_; }
    void reset();

private:
    static constexpr unsigned fixed_rows = 2;

    std::vector<elf_file::symbol> functions_;
    std::vector<row> rows_;
    routine current_ = unknown;
    std::uint64_t now_ = 0;
    std::uint64_t since_ = 0;  // the current stay
    observe::trace* trace_ = nullptr;
    observe::track_id track_{};
    core::frequency clock_{};
    observe::wave_sink_if* waves_ = nullptr;
    std::vector<observe::signal_id> signals_;  // by routine
};

}  // namespace contraflow::iss
