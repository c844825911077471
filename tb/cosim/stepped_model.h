// SPDX-License-Identifier: Apache-2.0
// The TLM model of the same, a bank of lanes and a policy, cycle by cycle. The masks of its view are empty: a model
// counts lanes and cannot tell them apart.
#pragma once

#include <memory>
#include <optional>

#include "cosim/stepped_lanes_if.h"
#include "link/lane_bank.h"

namespace contraflow::cosim {

class stepped_model final : public stepped_lanes_if {
public:
    explicit stepped_model(const link::lane_spec& s);

    void start(std::uint64_t at, const link::by_direction<unsigned>& lanes) override;
    void prepare(const lane_edge& e) override { edge_ = e; }
    void begin() override;
    void issue(const link::by_direction<std::uint64_t>& phits) override;
    const lane_view& view() const override { return view_; }
    std::uint64_t pass(std::uint64_t) override { return 0; }
    // Over so many cycles; another level says that nothing happens in them.
    void follow(std::uint64_t cycles) { next_ += cycles; }
    void count(const link::by_direction<std::uint64_t>& phits) override;

    std::uint64_t turns() const { return bank_->turns(); }
    std::uint64_t windows() const { return windows_; }

private:
    void show();

    const link::lane_spec spec_;
    std::unique_ptr<link::lane_controller_if> policy_;
    std::optional<link::lane_bank> bank_;
    std::uint64_t next_ = 0;  // cycle
    lane_edge edge_;          // that begins it
    std::uint64_t windows_ = 0;
    lane_view view_;
};

}  // namespace contraflow::cosim
