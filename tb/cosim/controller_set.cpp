// SPDX-License-Identifier: Apache-2.0
#include "cosim/controller_set.h"

#include "cosim/watched_lane_set.h"

namespace contraflow::cosim {

link::lane_set_factory controller_set::factory() {
    return [this](const std::string& name, const link::lane_spec& s,
                  std::uint64_t ticks_a_cycle) -> std::unique_ptr<link::lane_set_if> {
        if (level_ == controller_level::tlm) return link::make_lane_bank(s, ticks_a_cycle);
        if (level_ == controller_level::rtl && !record_) return std::make_unique<rtl_lane_set>(s, ticks_a_cycle, core_);
        lane_recording* told = nullptr;
        if (record_) told = &records_.emplace_back(std::make_unique<link_record>(link_record{name, s, {}}))->told;
        auto* const compared = level_ == controller_level::lockstep ? &difference_ : nullptr;
        auto lanes = std::make_unique<watched_lane_set>(name, s, ticks_a_cycle, told, compared, core_);
        handed_out_.push_back(lanes.get());
        return lanes;
    };
}

void controller_set::finish(std::uint64_t at) {
    for (link::lane_set_if* const lanes : handed_out_) lanes->finish(at);
}

}  // namespace contraflow::cosim
