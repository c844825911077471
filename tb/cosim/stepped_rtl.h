// SPDX-License-Identifier: Apache-2.0
// The RTL alone, cycle by cycle.
#pragma once

#include <string>

#include "cosim/stepped_lanes_if.h"

namespace contraflow::cosim {

class stepped_rtl final : public stepped_lanes_if {
public:
    explicit stepped_rtl(const link::lane_spec& s, const std::string& name, wave::wave_file* waves = nullptr)
        : block_(s, name, waves) {}

    void start(std::uint64_t at, const link::by_direction<unsigned>& lanes) override;
    void prepare(const lane_edge& e) override;
    void begin() override { block_.edge(); }
    void issue(const link::by_direction<std::uint64_t>& phits) override { block_.issue(phits); }
    const lane_view& view() const override { return block_.view(); }
    std::uint64_t pass(std::uint64_t at_most) override;
    void count(const link::by_direction<std::uint64_t>& phits) override { block_.set_busy(phits); }

    const lane_block& block() const { return block_; }

private:
    lane_block block_;
    bool first_launch_ = false;  // due with the next cycle
};

}  // namespace contraflow::cosim
