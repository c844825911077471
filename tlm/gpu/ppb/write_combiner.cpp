// SPDX-License-Identifier: Apache-2.0
#include "gpu/ppb/write_combiner.h"

#include <algorithm>
#include <utility>

namespace contraflow::gpu {
write_combiner::write_combiner(const ppb_spec& s)
    : order_(s.order),
      drain_after_(s.drain_after),
      seed_(s.seed),
      line_bytes_(static_cast<unsigned>(s.line.count)),
      entries_(s.combiner),
      draw_(s.seed) {}

std::size_t write_combiner::find(std::uint64_t line) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].order != 0 && entries_[i].line == line) return i;
    return none;
}

write_combiner::change write_combiner::take(std::uint64_t line, const memory::byte_mask& bytes,
                                            const std::uint8_t* data, core::sim_time now) {
    std::size_t place = find(line);
    const bool joins = place != none;
    if (!joins)
        for (place = 0; entries_[place].order != 0;) ++place;
    entry& e = entries_[place];
    if (!joins) {
        ++used_;
        e.line = line;
        e.order = ++last_;
        e.bytes = {};
        e.since = now;
        e.waits = false;
        const std::uint64_t wait = drain_after_.ps;
        e.deadline = now + core::sim_time{order_ == drain_order::random && wait > 0 ? draw_.below(wait) + 1 : wait};
        earliest_ = std::min(earliest_, e.deadline);
    }
    const change c{place, joins, (e.bytes & bytes).count()};
    bytes.copy(e.data.data(), data, line_bytes_);
    e.bytes = e.bytes | bytes;
    return c;
}

void write_combiner::remove(std::size_t place) {
    entries_[place].order = 0;
    --used_;
    if (entries_[place].deadline != earliest_) return;
    earliest_ = core::sim_time::never();
    for (const entry& e : entries_)
        if (e.order != 0) earliest_ = std::min(earliest_, e.deadline);
}

std::size_t write_combiner::oldest() const {
    std::size_t chosen = none;
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].order != 0 && (chosen == none || entries_[i].order < entries_[chosen].order)) chosen = i;
    return chosen;
}

std::size_t write_combiner::victim() {
    std::size_t chosen = none;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].order == 0 || entries_[i].waits) continue;
        ++seen;
        const bool better = order_ == drain_order::random
                                ? draw_.below(seen) == 0
                                : chosen == none || entries_[i].order < entries_[chosen].order;
        if (better) chosen = i;
    }
    return chosen;
}

std::size_t write_combiner::due(core::sim_time now) const {
    std::size_t chosen = none;
    if (earliest_ > now) return chosen;
    const auto rank = [](const entry& e) { return std::pair(e.deadline, e.order); };
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].order != 0 && !entries_[i].waits && entries_[i].deadline <= now &&
            (chosen == none || rank(entries_[i]) < rank(entries_[chosen])))
            chosen = i;
    return chosen;
}

core::sim_time write_combiner::next_deadline(core::sim_time now) const {
    if (earliest_ > now) return earliest_;
    core::sim_time next = core::sim_time::never();
    for (const entry& e : entries_)
        if (e.order != 0 && e.deadline > now && e.deadline < next) next = e.deadline;
    return next;
}

void write_combiner::reset() {
    for (entry& e : entries_) e.order = 0;
    used_ = 0;
    earliest_ = core::sim_time::never();
    last_ = 0;
    draw_ = core::random_source(seed_);
}

}  // namespace contraflow::gpu
