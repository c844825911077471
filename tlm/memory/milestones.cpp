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
      carry_(o.carry_ == nullptr ? nullptr : std::make_unique<carry>(*o.carry_)),
      spent_(o.spent_) {}

milestones& milestones::operator=(const milestones& o) {
    if (this == &o) return *this;
    begin(o.begun_);
    absorb(o);
    return *this;
}

core::sim_time milestones::spent(stage s) const {
    const auto i = static_cast<std::size_t>(s);
    return {spent_[i] + (carry_ == nullptr ? 0 : (*carry_)[i])};
}

core::sim_time milestones::total() const {
    core::sim_time sum{};
    for (std::size_t i = 0; i < stage_count; ++i) sum += spent(static_cast<stage>(i));
    return sum;
}

void milestones::carry_over(std::size_t stage, std::uint64_t ps) {
    if (carry_ == nullptr) carry_ = std::make_unique<carry>(carry{});
    (*carry_)[stage] += ps;
}

void milestones::take_carry(const carry& from) {
    for (std::size_t i = 0; i < stage_count; ++i)
        if (from[i] != 0) carry_over(i, from[i]);
}

}  // namespace contraflow::memory
