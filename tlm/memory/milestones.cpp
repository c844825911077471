// SPDX-License-Identifier: Apache-2.0
#include "memory/milestones.h"

namespace contraflow::memory {

std::string_view stage_name(stage s) {
    static constexpr std::array<std::string_view, stage_count> names{
        "coalescer", "l1",   "merge",       "crossbar",          "link_queue",          "link",         "l2",
        "remote_l2", "dram", "remote_dram", "response_crossbar", "response_link_queue", "response_link"};
    return names[static_cast<std::size_t>(s)];
}

milestones::milestones(const milestones& o)
    : last_(o.last_),
      begun_(o.begun_),
      spill_(o.spill_ == nullptr ? nullptr : std::make_unique<spill>(*o.spill_)),
      notes_(o.notes_) {}

milestones& milestones::operator=(const milestones& o) {
    if (this == &o) return *this;
    begin(o.begun_);
    absorb(o);
    return *this;
}

core::sim_time milestones::spent(stage s) const {
    std::uint64_t ps = spill_ == nullptr ? 0 : (*spill_)[static_cast<std::size_t>(s)];
    for (const std::uint32_t n : notes_)
        if (stage_of(n) == s) ps += time_of(n);
    return {ps};
}

core::sim_time milestones::total() const {
    core::sim_time sum{};
    for (std::size_t i = 0; i < stage_count; ++i) sum += spent(static_cast<stage>(i));
    return sum;
}

void milestones::spill_over(stage s, std::uint64_t ps) {
    if (spill_ == nullptr) spill_ = std::make_unique<spill>(spill{});
    (*spill_)[static_cast<std::size_t>(s)] += ps;
}

void milestones::take_spill(const spill& from) {
    for (std::size_t i = 0; i < stage_count; ++i)
        if (from[i] != 0) spill_over(static_cast<stage>(i), from[i]);
}

}  // namespace contraflow::memory
