// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_channel.h"

#include <algorithm>

namespace contraflow::memory {

dram_channel::dram_channel(const dram_spec& s)
    : spec_(s),
      capacity_(s.queue),
      rows_(s.banks, s.row.count, true),
      lead_(s.precharge + s.activate + s.column),
      banks_(s.banks) {
    queue_.reserve(capacity_);
}

void dram_channel::add(memory_extension& request, std::uint64_t place, unsigned length, core::sim_time now) {
    queue_.push_back({&request, rows_.within(place) / spec_.row.count, rows_.part_of(place), length, now});
}

std::size_t dram_channel::best() const {
    if (row_hits_ < spec_.row_hit_cap)
        for (std::size_t i = 0; i < queue_.size(); ++i)
            if (banks_[queue_[i].bank].row == queue_[i].row) return i;
    return 0;
}

dram_channel::service dram_channel::choose(core::sim_time now) {
    const std::size_t chosen = best();
    const entry e = queue_[chosen];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(chosen));
    row_hits_ = chosen == 0 ? 0 : row_hits_ + 1;

    bank& b = banks_[e.bank];
    service s;
    s.request = e.request;
    s.arrived = e.arrived;
    core::sim_time column = std::max(now, b.ready);
    if (b.row == e.row) {
        s.row = row_state::hit;
    } else {
        s.row = b.row == none ? row_state::closed : row_state::conflict;
        if (s.row == row_state::conflict) column = std::max(column, b.activated + spec_.row_active) + spec_.precharge;
        b.activated = column;
        b.row = e.row;
        column += spec_.activate;
    }
    const std::uint64_t bursts = (e.length + spec_.burst.count - 1) / spec_.burst.count;
    s.bus_time = spec_.channel_bandwidth.time_of(spec_.burst * std::max<std::uint64_t>(1, bursts));
    s.done = std::max(column + spec_.column, bus_free_) + s.bus_time;
    b.ready = column + s.bus_time;
    bus_free_ = s.done;
    next_choice_ = now + s.bus_time;
    if (bus_free_ > next_choice_ + lead_) next_choice_ = bus_free_ - lead_;
    return s;
}

void dram_channel::reset() {
    queue_.clear();
    banks_.assign(banks_.size(), {});
    row_hits_ = 0;
    bus_free_ = next_choice_ = {};
}

}  // namespace contraflow::memory
