// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/milestones.h"

#include <numeric>

namespace contraflow::memory {

std::string_view stage_name(stage s) {
    static constexpr std::array<std::string_view, stage_count> names{"coalescer",
                                                                     "l1",
                                                                     "merge",
                                                                     "crossbar",
                                                                     "link_queue",
                                                                     "link",
                                                                     "l2",
                                                                     "remote_l2",
                                                                     "dram",
                                                                     "remote_dram",
                                                                     "response_crossbar",
                                                                     "response_link_queue",
                                                                     "response_link",
                                                                     "l1_tlb",
                                                                     "l2_tlb",
                                                                     "gmmu",
                                                                     "iommu",
                                                                     "page_walk",
                                                                     "page_held"};
    return names[static_cast<std::size_t>(s)];
}

milestones::milestones(const milestones& o)
    : last_(o.last_),
      begun_(o.begun_),
      recorded_(o.recorded_),
      carried_(o.carried_),
      far_(o.far_),
      spent_(o.spent_),
      rare_(o.recorded_ || o.carried_ ? std::make_unique<rare>(*o.rare_) : nullptr) {}

milestones& milestones::operator=(const milestones& o) {
    if (this == &o) return *this;
    begin(o.begun_);
    if (o.recorded()) record();
    absorb(o);
    return *this;
}

core::sim_time milestones::spent(stage s) const {
    const std::size_t place = place_of(s);
    return {(place < places() ? spent_[place] : 0) + (carried_ ? rare_->carry[place] : 0)};
}

std::uint64_t milestones::carried() const {
    return std::accumulate(rare_->carry.begin(), rare_->carry.end(), std::uint64_t{0});
}

milestones::rare& milestones::make_rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<rare>();
    return *rare_;
}

void milestones::carry_over(std::size_t place, std::uint64_t ps) {
    make_rare().carry[place] += ps;
    carried_ = true;
}

void milestones::take_rare(const milestones& from) {
    if (from.carried_)
        for (std::size_t i = 0; i < stage_count; ++i)
            if (from.rare_->carry[i] != 0) carry_over(i, from.rare_->carry[i]);
    if (!recorded_ || !from.recorded_) return;
    for (const stay& s : from.rare_->stays) rare_->keep(s);
    for (const waypoint& w : from.rare_->path) rare_->pass(w);
}

void milestones::record() {
    make_rare();
    recorded_ = true;
}

const std::vector<stay>& milestones::stays() const {
    static const std::vector<stay> none;
    return recorded_ ? rare_->stays : none;
}

const std::vector<waypoint>& milestones::path() const {
    static const std::vector<waypoint> none;
    return recorded_ ? rare_->path : none;
}

void milestones::rare::pass(const waypoint& w) {
    if (path.empty() || path.back().where != w.where) path.push_back(w);
}

void milestones::clear_rare() {
    rare_->carry.fill(0);
    rare_->stays.clear();
    rare_->path.clear();
    recorded_ = carried_ = false;
}

void milestones::rare::keep(const stay& s) {
    if (s.begin == s.end) return;
    if (!stays.empty() && stays.back().where == s.where)
        stays.back().end = s.end;  // two components in a row, in the same stage
    else
        stays.push_back(s);
}

}  // namespace contraflow::memory
