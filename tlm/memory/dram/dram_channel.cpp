// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_channel.h"

#include <algorithm>

namespace contraflow::memory {
namespace {

using core::sim_time;

constexpr std::size_t reads = static_cast<std::size_t>(dram_access::read);
constexpr std::size_t writes = static_cast<std::size_t>(dram_access::write);

sim_time before(sim_time t, sim_time lead) { return t > lead ? t - lead : sim_time{}; }

}  // namespace

dram_channel::dram_channel(const dram_spec& s, unsigned n)
    : spec_(s),
      rows_(s.banks, s.row.count, s.hashed_banks),
      first_refresh_(s.refresh_interval == sim_time{}
                         ? sim_time::never()
                         : sim_time{s.refresh_interval.ps / s.channels * (n % s.channels + 1)}),
      burst_time_(s.channel_bandwidth.time_of(s.burst)),
      banks_(s.banks),
      next_refresh_(first_refresh_) {
    queues_[reads].capacity = s.queue;
    queues_[writes].capacity = s.write_queue;
    for (queue& q : queues_) q.waiting.reserve(q.capacity);
}

sim_time dram_channel::oldest_since() const {
    sim_time oldest = sim_time::never();
    for (const queue& q : queues_)
        if (!q.waiting.empty()) oldest = std::min(oldest, q.waiting.front().arrived);
    return oldest;
}

void dram_channel::add(dram_access kind, memory_extension* request, std::uint64_t place, unsigned length,
                       sim_time now) {
    if (length != length_) {
        length_ = length;
        const std::uint64_t bursts = std::max<std::uint64_t>(1, (length + spec_.burst.count - 1) / spec_.burst.count);
        bus_time_ = spec_.channel_bandwidth.time_of(spec_.burst * bursts);
    }
    const auto k = static_cast<std::size_t>(kind);
    const std::uint64_t row = rows_.within(place) / spec_.row.count;
    const unsigned number = rows_.part_of(place);
    queue& q = queues_[k];
    q.waiting.push_back({request, row, number, row_state::hit, bus_time_, now});
    bank& b = banks_[number];
    ++b.waiting[k];
    if (b.row == row) {
        ++b.ready[k];
        ++q.ready;
    }
    // Only this request can be due earlier than what is due next. One behind others of its bank cannot.
    if (now >= next_refresh_ || must_turn())
        next_step_ = std::min(next_step_, now);
    else if (kind != serves_)
        return;
    else if (b.row == row)
        next_step_ = std::min(next_step_, std::max({now, bus_from(), b.column_from}));
    else if (b.waiting[k] == 1)
        next_step_ = std::min(next_step_, std::max(now, open_from(b)));
}

// Writes are served when there are enough of them or no reads; reads again when few writes are left. If writes arrive
// as fast as they are served, few are never left: then they and the reads take turns, a batch each.
bool dram_channel::must_turn() const {
    const std::size_t written = queues_[writes].waiting.size();
    const bool wait_to_read = !queues_[reads].waiting.empty();
    if (serves_ == dram_access::write)
        return wait_to_read && (written <= spec_.write_low || since_turn_ >= spec_.write_high);
    return written > 0 &&
           (!wait_to_read || (written >= spec_.write_high && since_turn_ >= spec_.write_high - spec_.write_low));
}

// When the next column command may be given.
sim_time dram_channel::bus_from() const {
    if (serves_ == dram_access::write)
        return before(bus_free_ + (carried_ == dram_access::read ? spec_.read_to_write : sim_time{}),
                      spec_.write_column);
    const sim_time from = before(bus_free_, spec_.column);
    return carried_ == dram_access::read || bus_free_ == sim_time{} ? from : bus_free_ + spec_.write_to_read;
}

std::optional<dram_channel::service> dram_channel::step(sim_time now) {
    if (now >= next_refresh_) refresh(now);
    if (must_turn()) {
        serves_ = serves_ == dram_access::read ? dram_access::write : dram_access::read;
        since_turn_ = 0;
    }
    const auto k = static_cast<std::size_t>(serves_);
    queue& q = queues_[k];
    const sim_time earliest = std::max(now, bus_from());
    sim_time column = sim_time::never(), row = sim_time::never();
    sim_time next_column = sim_time::never();  // of the others
    std::size_t chosen = 0;
    bool passes = false;  // an older request to another row of its bank
    ++looks_;
    for (std::size_t i = 0; i < q.waiting.size(); ++i) {
        if (column <= earliest && q.ready == q.waiting.size()) {  // no row to open, and nothing goes before it
            next_column = {};
            break;
        }
        entry& e = q.waiting[i];
        bank& b = banks_[e.bank];
        const bool oldest = b.looked_at != looks_;
        b.looked_at = looks_;
        if (b.row != e.row && oldest && may_close(b)) {
            if (const sim_time from = open_from(b); from <= now)
                open(b, e, now);
            else
                row = std::min(row, from);
        }
        if (b.row != e.row) {
            b.older = looks_;
            continue;
        }
        if (b.older == looks_ && b.passed >= spec_.row_hit_cap) continue;
        const sim_time from = std::max(earliest, b.column_from);
        if (from >= column) {
            next_column = std::min(next_column, from);
        } else {
            next_column = std::min(next_column, column);
            column = from;
            chosen = i;
            passes = b.older == looks_;
        }
    }
    if (column > now) {
        next_step_ = q.waiting.empty() ? sim_time::never() : std::min(row, column);
        return std::nullopt;
    }
    const unsigned number = q.waiting[chosen].bank;
    bank& b = banks_[number];
    if (passes) ++b.passed;
    const service s = serve(chosen, now);
    if (b.waiting[k] > 0 && may_close(b)) row = std::min(row, std::max(now, open_from(b)));
    if (must_turn()) row = now;
    next_step_ = empty()             ? sim_time::never()
                 : q.waiting.empty() ? now
                                     : std::min(row, std::max({now, bus_from(), next_column}));
    return s;
}

dram_channel::service dram_channel::serve(std::size_t chosen, sim_time now) {
    const auto k = static_cast<std::size_t>(serves_);
    queue& q = queues_[k];
    const entry e = q.waiting[chosen];
    q.waiting.erase(q.waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
    --q.ready;
    bank& b = banks_[e.bank];
    --b.waiting[k];
    --b.ready[k];
    const bool write = serves_ == dram_access::write;
    if (!write || !queues_[reads].waiting.empty()) ++since_turn_;
    const bool turned = carried_ != serves_;
    carried_ = serves_;
    bus_free_ = now + (write ? spec_.write_column : spec_.column) + e.bus_time;
    const sim_time last_column = now + e.bus_time - burst_time_;
    b.row_from = std::max(b.row_from, write ? bus_free_ + spec_.write_recovery : last_column + spec_.read_to_precharge);
    return {e.request, e.found, e.arrived, e.bus_time, bus_free_, turned};
}

// When the bank may begin to open another row. None is planned further ahead than it takes to close one: a refresh
// waits for those that are.
sim_time dram_channel::open_from(const bank& b) const {
    return std::max(b.row_from, before(std::max(activate_from_, activates_[oldest_activate_]), spec_.precharge));
}

// Closes the bank's row, if there is one, and opens that of the request.
void dram_channel::open(bank& b, entry& e, sim_time now) {
    e.found = b.row == none ? row_state::closed : row_state::conflict;
    sim_time when = b.row == none ? now : now + spec_.precharge;
    when = std::max({when, activate_from_, activates_[oldest_activate_]});
    activates_[oldest_activate_] = when + spec_.four_activates;
    oldest_activate_ = (oldest_activate_ + 1) % activates_.size();
    activate_from_ = when + spec_.activate_gap;
    b.row = e.row;
    b.column_from = when + spec_.activate;
    b.row_from = when + spec_.row_active;
    b.passed = 0;
    recount(b);
}

void dram_channel::recount(bank& b) {
    const auto number = static_cast<unsigned>(&b - banks_.data());
    for (std::size_t k = 0; k < queues_.size(); ++k) {
        queues_[k].ready -= b.ready[k];
        b.ready[k] = 0;
        if (b.waiting[k] == 0) continue;
        for (const entry& e : queues_[k].waiting) b.ready[k] += e.bank == number && e.row == b.row;
        queues_[k].ready += b.ready[k];
    }
}

// Closes all rows for the refreshes that have become due. An idle channel has done those before the last in time.
void dram_channel::refresh(sim_time now) {
    sim_time from = next_refresh_;
    bool opened = false;
    for (const bank& b : banks_) {
        from = std::max(from, b.row_from);
        opened = opened || b.row != none;
    }
    sim_time until = from + (opened ? spec_.precharge : sim_time{}) + spec_.refresh;
    const std::uint64_t more = (now - next_refresh_).ps / spec_.refresh_interval.ps;
    if (more > 0) until = std::max(until, next_refresh_ + spec_.refresh_interval * more + spec_.refresh);
    next_refresh_ += spec_.refresh_interval * (more + 1);
    for (bank& b : banks_) {
        b.row = none;
        b.row_from = until;
        b.ready = {};
    }
    for (queue& q : queues_) q.ready = 0;
}

void dram_channel::reset() {
    for (queue& q : queues_) {
        q.waiting.clear();
        q.ready = 0;
    }
    banks_.assign(banks_.size(), {});
    serves_ = carried_ = dram_access::read;
    since_turn_ = 0;
    bus_free_ = activate_from_ = {};
    activates_ = {};
    oldest_activate_ = 0;
    next_step_ = sim_time::never();
}

}  // namespace contraflow::memory
