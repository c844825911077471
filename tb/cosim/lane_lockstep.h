// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model side by side on the same inputs, cycle by cycle: the whole block with its monitors, and a bank of
// lanes with its policy. Every cycle compares what the model knows: the counts of lanes, the window with its totals and
// decision, the decision on its way, and the interrupt, whose causes are both enabled. Totals and decisions are
// compared when the block shows them, decision_cycles after a window's end at the latest. After each window the bus
// reads the three counters of events, and their values are compared. The ends' masks of lanes, which the model cannot
// tell, are checked against the counts, and no lane may have two senders. under_way and idle are not compared, nor are
// other registers: the bench in tb/lane_reversal does that. The first difference is a level_difference. A cycle is:
// prepare() its inputs, begin() it, see how many lanes serve, issue() the phits they carry.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosim/lane_rtl.h"
#include "link/lanes/lane_bank.h"
#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::cosim {

// The inputs at an edge, for the cycle that begins there.
struct lane_edge {
    bool launch = false;
    // The number of lanes that fail, serving the direction or else turning to it, and which ones.
    link::by_direction<unsigned> faults;
    std::uint32_t failing = 0;
};

class lane_lockstep {
public:
    lane_lockstep(std::string name, const link::lane_spec& s, wave::wave_file* waves = nullptr)
        : lane_lockstep(std::move(name), s, s, waves) {}
    // Each has its own settings; if they differ in effect, there is a difference.
    lane_lockstep(std::string name, const link::lane_spec& rtl, const link::lane_spec& model,
                  wave::wave_file* waves = nullptr);

    // Starts again: the next cycle is `at`, with a kernel launch. `failed` lanes have failed before.
    void start(std::uint64_t at, unsigned failed = 0);
    void prepare(const lane_edge& e);
    void begin();
    // The phits of the current cycle: at most one for each serving lane.
    void issue(const link::by_direction<std::uint64_t>& phits);

    // The RTL's outputs, and those that the model knows: it counts lanes and cannot tell them apart. After begin() only
    // outputs of registers are valid.
    const outputs& view() const { return rtl_->out(); }
    unsigned failed() const { return rtl_->out().failed - std::min<unsigned>(rtl_->out().failed, absent_); }
    const outputs& model_view() const { return shown_; }
    // The model's last window that has ended. The block shows its totals and its decision later.
    const link::lane_window& window() const { return window_; }
    std::uint64_t cycle() const { return next_ - 1; }
    // Whether something differed in the cycle that was issued last.
    bool differs() const { return differs_; }
    // Compares nothing, to show the signals also after a difference.
    void set_tolerant(bool on) { tolerant_ = on; }

private:
    void show_model();
    void show_model_of_cycle(const link::by_direction<std::uint64_t>& phits);
    std::vector<const char*> differences() const;
    void compare();
    bool access_ends() const { return in_.penable && rtl_->out().pready; }
    void next_bus_cycle(bool access_ended);

    const std::string name_;
    const link::lane_spec rtl_spec_, model_spec_;
    const std::unique_ptr<pins_if> rtl_;
    const unsigned absent_;  // lanes that the RTL has and the link does not
    inputs in_;              // for the shown cycle
    std::optional<link::lane_bank> bank_;
    outputs shown_;  // from the model, when the block shows it
    struct totals {
        link::by_direction<std::uint64_t> busy, capacity;
        bool whole = false;  // of a window that has ended
    };
    std::array<totals, monitor_cycles> past_{};  // of the cycles before, the last one first
    link::lane_window window_;                   // the model's, the last one that has ended
    std::uint64_t deciding_ = 0;                 // cycles until the block shows its decision, with this one; 0: it has
    lane_edge edge_;
    std::uint64_t windows_ = 0;  // windows that have ended since the start
    std::uint64_t faults_ = 0;   // lanes that have failed since the start
    unsigned reads_ = 0;         // of a window's reads of counters, those that have not ended
    bool differs_ = false;
    std::uint64_t next_ = 0;
    bool tolerant_ = false;
};

}  // namespace contraflow::cosim
