// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model side by side on the same inputs, cycle by cycle: the whole block with its monitors, and a bank of
// lanes with its policy. In every cycle every output of the RTL is compared with what the model says, and checked for
// what no model knows: that no lane has two senders. The first difference is a level_difference.
// A cycle: prepare() what comes with it, begin() it, see how many lanes serve, issue() the phits they carry in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cosim/lane_rtl.h"
#include "link/lanes/lane_bank.h"
#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::cosim {

// What is given with an edge: it holds from the cycle that begins there.
struct lane_edge {
    bool launch = false;
    // Lanes that fail, that serve the direction then, or else turn to it: how many, and which ones.
    link::by_direction<unsigned> faults;
    std::uint32_t failing = 0;
};

class lane_lockstep {
public:
    lane_lockstep(std::string name, const link::lane_spec& s, wave::wave_file* waves = nullptr)
        : lane_lockstep(std::move(name), s, s, waves) {}
    // With settings of its own for each; where these matter there is a difference.
    lane_lockstep(std::string name, const link::lane_spec& rtl, const link::lane_spec& model,
                  wave::wave_file* waves = nullptr);

    // All from the beginning; the next cycle is `at`, and a kernel is launched then. So many lanes have failed before.
    void start(std::uint64_t at, unsigned failed = 0);
    void prepare(const lane_edge& e);
    void begin();
    // The phits of the current cycle: at most one for each serving lane.
    void issue(const link::by_direction<std::uint64_t>& phits);

    // The RTL's outputs, and what of them the model knows: a model counts lanes, and cannot tell them apart. After
    // begin() only what comes from registers.
    const outputs& view() const { return rtl_->out(); }
    unsigned failed() const { return rtl_->out().failed - std::min<unsigned>(rtl_->out().failed, absent_); }
    const outputs& model_view() const { return shown_; }
    std::uint64_t cycle() const { return next_ - 1; }
    // Nothing is compared: to show what goes on, also beyond a difference.
    void set_tolerant(bool on) { tolerant_ = on; }

private:
    void show_model();
    void compare();
    std::uint32_t counted(const link::lane_reversal_registers::reg& r);

    const std::string name_;
    const link::lane_spec rtl_spec_, model_spec_;
    const std::unique_ptr<pins_if> rtl_;
    const unsigned absent_;  // lanes that the RTL has and the link has not
    inputs in_;              // of the cycle that is shown
    std::optional<link::lane_bank> bank_;
    outputs shown_;  // by the model
    lane_edge edge_;
    std::uint64_t windows_ = 0;  // that have ended since the start
    std::uint64_t next_ = 0;
    bool tolerant_ = false;
};

}  // namespace contraflow::cosim
