// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model side by side on the same inputs: every cycle, every output of the RTL is compared with what the
// model says, and checked for what no model knows: that no lane has two senders. The first difference is a
// level_difference.
#pragma once

#include <string>

#include "cosim/stepped_model.h"
#include "cosim/stepped_rtl.h"

namespace contraflow::cosim {

class lane_lockstep final : public stepped_lanes_if {
public:
    lane_lockstep(std::string name, const link::lane_spec& s, wave::wave_file* waves = nullptr)
        : lane_lockstep(std::move(name), s, s, waves) {}
    // With settings of its own for each; where these matter there is a difference.
    lane_lockstep(std::string name, const link::lane_spec& rtl, const link::lane_spec& model,
                  wave::wave_file* waves = nullptr)
        : name_(std::move(name)),
          rtl_(rtl, waves == nullptr ? name_ : "rtl " + name_, waves),
          model_(model) {}

    void start(std::uint64_t at, const link::by_direction<unsigned>& lanes) override;
    void prepare(const lane_edge& e) override;
    void begin() override;
    void issue(const link::by_direction<std::uint64_t>& phits) override;
    const lane_view& view() const override { return rtl_.view(); }
    // None, unless differences do not matter.
    std::uint64_t pass(std::uint64_t at_most) override;
    void count(const link::by_direction<std::uint64_t>& phits) override;

    const lane_view& model_view() const { return model_.view(); }
    std::uint64_t cycle() const { return next_ - 1; }
    // Nothing is compared: to show what goes on, also beyond a difference.
    void set_tolerant(bool on) { tolerant_ = on; }

private:
    void compare() const;

    const std::string name_;
    stepped_rtl rtl_;
    stepped_model model_;
    std::uint64_t next_ = 0;
    bool tolerant_ = false;
};

}  // namespace contraflow::cosim
