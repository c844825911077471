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
    reset();
}

sim_time dram_channel::oldest_since() const {
    sim_time oldest = sim_time::never();
    for (std::size_t k = 0; k < queues_.size(); ++k)
        if (const queue& q = queues_[k]; q.waiting > 0)
            oldest = std::min(oldest, q.entries[banks_[q.first].of[k].first].arrived);
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
    if (q.entries.empty()) {  // only channels that are used take this memory
        q.entries.reserve(q.capacity);
        q.free.reserve(q.capacity);
    }
    if (q.free.empty()) {
        q.free.push_back(static_cast<std::uint32_t>(q.entries.size()));
        q.entries.emplace_back();
    }
    const std::uint32_t at = q.free.back();
    q.free.pop_back();
    q.entries[at] = {request, row, number, row_state::hit, bus_time_, now, arrivals_++, nobody, nobody};
    append(k, at);
    bank& b = banks_[number];
    if (b.row == row) ++b.of[k].ready;
    // Only this request can be due earlier than what is due next. One behind others of its bank cannot.
    if (now >= next_refresh_ || must_turn())
        next_step_ = std::min(next_step_, now);
    else if (kind != serves_)
        return;
    else if (b.row == row)
        next_step_ = std::min(next_step_, std::max({now, bus_from(), b.column_from}));
    else if (b.of[k].waiting == 1)
        next_step_ = std::min(next_step_, std::max(now, open_from(b)));
}

// Writes are served when there are enough of them or no reads; reads again when few writes are left. If writes arrive
// as fast as they are served, few are never left: then they and the reads take turns, a batch each.
bool dram_channel::must_turn() const {
    const std::size_t written = queues_[writes].waiting;
    const bool wait_to_read = queues_[reads].waiting > 0;
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
    std::uint32_t chosen = nobody;
    bool passes = false;  // an older request to another row of its bank
    for (std::uint32_t at = q.first; at != nobody; at = banks_[at].of[k].next) {
        bank& b = banks_[at];
        entry& oldest = q.entries[b.of[k].first];
        if (b.row != oldest.row && may_close(b)) {
            if (const sim_time from = open_from(b); from <= now)
                open(b, oldest, now);
            else
                row = std::min(row, from);
        }
        if (b.of[k].ready == 0) continue;
        std::uint32_t hit = b.of[k].first;
        while (q.entries[hit].row != b.row) hit = q.entries[hit].next;
        const bool passes_another = hit != b.of[k].first;
        if (passes_another && b.passed >= spec_.row_hit_cap) continue;
        const sim_time from = std::max(earliest, b.column_from);
        if (from > column || (from == column && q.entries[hit].number > q.entries[chosen].number)) {
            next_column = std::min(next_column, from);
            continue;
        }
        next_column = std::min(next_column, b.of[k].ready > 1 ? from : column);
        column = from;
        chosen = hit;
        passes = passes_another;
    }
    if (column > now) {
        next_step_ = q.waiting == 0 ? sim_time::never() : std::min(row, column);
        return std::nullopt;
    }
    bank& b = banks_[q.entries[chosen].bank];
    if (passes) ++b.passed;
    const service s = serve(chosen, now);
    if (b.of[k].waiting > 0 && may_close(b)) row = std::min(row, std::max(now, open_from(b)));
    if (must_turn()) row = now;
    next_step_ = empty()          ? sim_time::never()
                 : q.waiting == 0 ? now
                                  : std::min(row, std::max({now, bus_from(), next_column}));
    return s;
}

dram_channel::service dram_channel::serve(std::uint32_t chosen, sim_time now) {
    const auto k = static_cast<std::size_t>(serves_);
    take_out(k, chosen);
    const entry& e = queues_[k].entries[chosen];
    bank& b = banks_[e.bank];
    --b.of[k].ready;
    const bool write = serves_ == dram_access::write;
    if (!write || queues_[reads].waiting > 0) ++since_turn_;
    const bool turned = carried_ != serves_;
    carried_ = serves_;
    bus_free_ = now + (write ? spec_.write_column : spec_.column) + e.bus_time;
    const sim_time last_column = now + e.bus_time - burst_time_;
    b.row_from = std::max(b.row_from, write ? bus_free_ + spec_.write_recovery : last_column + spec_.read_to_precharge);
    return {e.request, e.found, e.arrived, e.bus_time, bus_free_, turned};
}

// Behind the last request of its bank; a bank that had none is behind all others.
void dram_channel::append(std::size_t kind, std::uint32_t number) {
    queue& q = queues_[kind];
    entry& e = q.entries[number];
    bank_requests& b = banks_[e.bank].of[kind];
    e.before = b.last;
    (b.last == nobody ? b.first : q.entries[b.last].next) = number;
    b.last = number;
    ++q.waiting;
    if (b.waiting++ == 0) put_in_order(kind, e.bank, q.last);
}

// A bank whose oldest request goes takes the place of its next one.
void dram_channel::take_out(std::size_t kind, std::uint32_t number) {
    queue& q = queues_[kind];
    entry& e = q.entries[number];
    bank_requests& b = banks_[e.bank].of[kind];
    (e.before == nobody ? b.first : q.entries[e.before].next) = e.next;
    (e.next == nobody ? b.last : q.entries[e.next].before) = e.before;
    q.free.push_back(number);
    --q.waiting;
    --b.waiting;
    if (e.before != nobody) return;
    (b.before == nobody ? q.first : banks_[b.before].of[kind].next) = b.next;
    (b.next == nobody ? q.last : banks_[b.next].of[kind].before) = b.before;
    if (b.waiting == 0) return;
    const auto oldest = [&](std::uint32_t bank_number) { return q.entries[banks_[bank_number].of[kind].first].number; };
    std::uint32_t behind = b.before;
    for (std::uint32_t at = b.next; at != nobody && oldest(at) < oldest(e.bank); at = banks_[at].of[kind].next)
        behind = at;
    put_in_order(kind, e.bank, behind);
}

void dram_channel::put_in_order(std::size_t kind, std::uint32_t bank_number, std::uint32_t behind) {
    queue& q = queues_[kind];
    bank_requests& b = banks_[bank_number].of[kind];
    b.before = behind;
    std::uint32_t& next = behind == nobody ? q.first : banks_[behind].of[kind].next;
    b.next = next;
    next = bank_number;
    (b.next == nobody ? q.last : banks_[b.next].of[kind].before) = bank_number;
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
    for (std::size_t k = 0; k < queues_.size(); ++k) {
        b.of[k].ready = 0;
        for (std::uint32_t at = b.of[k].first; at != nobody; at = queues_[k].entries[at].next)
            b.of[k].ready += queues_[k].entries[at].row == b.row;
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
        for (bank_requests& of : b.of) of.ready = 0;
    }
}

void dram_channel::reset() {
    for (queue& q : queues_) {
        q.entries.clear();
        q.free.clear();
        q.waiting = 0;
        q.first = q.last = nobody;
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
