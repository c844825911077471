// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/send_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace contraflow::nic {
namespace {

constexpr std::uint32_t most_ring_entries = 65536;

constexpr transport_kind kind_of(work_opcode o) {
    switch (o) {
    case work_opcode::write: return transport_kind::write;
    case work_opcode::read: return transport_kind::read;
    case work_opcode::fetch_add: return transport_kind::fetch_add;
    case work_opcode::compare_swap: break;
    }
    return transport_kind::compare_swap;
}

constexpr work_status status_of(refusal_reason r) {
    switch (r) {
    case refusal_reason::access: return work_status::remote_access;
    case refusal_reason::memory: return work_status::remote_memory;
    case refusal_reason::out_of_sequence:
    case refusal_reason::request: break;
    }
    return work_status::remote_request;
}

}  // namespace

send_engine::send_engine(const resources& r, const queue_pair_spec& s, std::string name)
    : r_(r),
      spec_(s),
      name_(std::move(name)),
      mtu_(static_cast<std::uint32_t>(s.mtu.count)),
      gather_(r.function, pcie::operation_kind::read, s.gather, core::callback::to<&send_engine::advance>(*this),
              name_ + ".gather"),
      scatter_(r.function, pcie::operation_kind::write, s.scatter, core::callback::to<&send_engine::go_on>(*this),
               name_ + ".scatter"),
      sender_(r.port, gather_, r.reads, {net::packet_class::request, s.send_packets, s.queues}, *this,
              name_ + ".packets"),
      writer_(scatter_, r.writes, r.statistics, *this, name_ + ".answers"),
      completions_(r.function, s.completions, *this, name_ + ".completions"),
      doorbells_(r.statistics, name_ + ".doorbells", "writes", "doorbells of open queue pairs"),
      announced_(r.statistics, name_ + ".announced", "entries", "entries that doorbells announced"),
      fetched_(r.statistics, name_ + ".fetched", "entries", "entries read over PCIe"),
      pushed_(r.statistics, name_ + ".pushed", "entries", "entries that came with their doorbell and were not read"),
      done_(r.statistics, name_ + ".done", "entries", "entries that ended well"),
      failed_(r.statistics, name_ + ".failed", "entries", "entries with which a queue pair failed"),
      flushed_(r.statistics, name_ + ".flushed", "entries", "entries that ended because their queue pair had failed"),
      dropped_(r.statistics, name_ + ".dropped", "entries", "entries that a reset dropped"),
      completed_(r.statistics, name_ + ".completions", "completions", "completions written to their rings"),
      numbered_(r.statistics, name_ + ".numbered", "packets",
                "sequence numbers of packets, those of answers to reads included"),
      acknowledged_(r.statistics, name_ + ".acknowledged", "packets", "sequence numbers that were acknowledged"),
      forgotten_(r.statistics, name_ + ".forgotten", "packets",
                 "sequence numbers without an answer when their queue pair failed or was reset"),
      sent_again_(r.statistics, name_ + ".retransmitted", "packets", "request packets that were sent once more"),
      timeouts_(r.statistics, name_ + ".timeouts", "timeouts", "times that nothing was acknowledged for too long"),
      returns_(r.statistics, name_ + ".returns", "returns", "returns to the oldest packet that was not acknowledged"),
      unexpected_(r.statistics, name_ + ".unexpected", "packets", "responses of no use: late, repeated, or to nobody"),
      open_(r.statistics, name_ + ".open", "entries", "entries announced and not complete"),
      latency_(r.statistics, name_ + ".latency", "ps", "from an entry's doorbell to the departure of its completion") {
    for (std::uint32_t q = 0; q < s.queues; ++q) queues_.emplace_back(*this, q);
}

// ---- registers

bool send_engine::open(std::uint32_t queue, const queue_setup& s) {
    if (queue >= queues_.size()) return false;
    const auto ring = [](std::uint32_t entries, std::uint64_t at) {
        return std::has_single_bit(entries) && entries <= most_ring_entries && at % work_entry_bytes == 0;
    };
    queue_pair& q = queues_[queue];
    if (!idle(q) || !ring(s.entries, s.send_ring) || !ring(s.completion_entries, s.completion_ring) ||
        s.node == r_.port.node())
        return false;
    q.setup = s;
    q.entries.resize(spec_.window);
    q.produced = q.fetched = q.begun = q.processed = q.launching = q.acknowledged = q.retired = 0;
    q.completions = q.consumed = 0;
    q.next = q.oldest = q.end = s.first_sequence;
    q.open_reads = q.retries = 0;
    q.stopped = q.returned = q.returning = q.has_pushed = false;
    q.fault = queue_fault::none;
    q.failed_as = work_status::done;
    q.failed_at = 0;
    q.state = queue_state::open;
    return true;
}

bool send_engine::close(std::uint32_t queue) {
    if (queue >= queues_.size() || !idle(queues_[queue])) return false;
    queues_[queue].state = queue_state::closed;
    return true;
}

bool send_engine::doorbell(std::uint32_t queue, std::uint32_t produced) {
    queue_pair& q = queues_[queue];
    if (q.state == queue_state::closed) return false;
    ++doorbells_;
    if (!before(q.produced, produced)) return true;  // one that was overtaken
    if (produced - q.retired > q.setup.entries) {
        if (q.state == queue_state::open) fail(q, queue_fault::doorbell_overrun, work_status::done, produced);
        retire(q);
        return true;
    }
    announced_ += produced - q.produced;
    open_.set(r_.events.now(), open_.last() + (produced - q.produced));
    q.produced = produced;
    q.rung = r_.events.now();
    if (q.state == queue_state::open)
        fetch_entries(q);
    else
        retire(q);
    return true;
}

bool send_engine::push(std::uint32_t queue, std::span<const std::uint8_t, work_entry_bytes> bytes) {
    queue_pair& q = queues_[queue];
    if (q.state == queue_state::closed) return false;
    std::ranges::copy(bytes, q.pushed.begin());
    q.has_pushed = true;
    return doorbell(queue, work_entry::number_of(bytes));
}

bool send_engine::consumed(std::uint32_t queue, std::uint32_t completions) {
    queue_pair& q = queues_[queue];
    if (q.state == queue_state::closed || before(q.completions, completions)) return false;
    if (!before(q.consumed, completions)) return true;
    q.consumed = completions;
    retire(q);
    advance();
    return true;
}

send_engine::status send_engine::status_of(std::uint32_t queue) const {
    const queue_pair& q = queues_[queue];
    return {q.state, q.fault, q.failed_as, q.failed_at, q.retired, q.completions};
}

bool send_engine::idle(const queue_pair& q) const {
    return q.retired == q.produced && q.fetches == 0 && q.processing == 0 && sender_.empty(number_of(q)) &&
           !writer_.busy();
}
bool send_engine::idle(std::uint32_t queue) const { return idle(queues_[queue]); }
bool send_engine::idle() const {
    return std::ranges::all_of(queues_, [this](const queue_pair& q) { return idle(q); });
}

// ---- entries

void send_engine::fetch_entries(queue_pair& q) {
    while (q.state == queue_state::open && !q.stopped && !draining_ && q.fetched != q.produced &&
           q.fetched - q.retired < spec_.window && q.fetches < spec_.fetch) {
        entry& e = entry_at(q, q.fetched);
        e.queue = number_of(q);
        e.number = q.fetched + 1;
        e.at = stage::fetching;
        e.numbered = e.counted = e.done = false;
        e.launched = 0;
        e.what = {};
        e.status = work_status::done;
        e.times = {};
        e.times.rung = q.rung;
        e.times.fetching = r_.events.now();
        if (q.has_pushed && work_entry::number_of(q.pushed) == e.number) {
            q.has_pushed = false;
            e.bytes = q.pushed;
            pcie::operation& read = e;  // of an earlier entry at this place
            read.status = pcie::completion_status::successful;
            read.timed_out = false;
            e.at = stage::here;
            e.times.fetched = r_.events.now();
            ++q.fetched;
            ++pushed_;
            if (may_begin(q)) to_begin_.add(q.to_begin);
            if (advancing_)
                again_ = true;
            else
                begin_.arm_by(r_.events.now());
            continue;
        }
        e.kind = pcie::operation_kind::read;
        e.address = q.setup.send_ring + std::uint64_t{q.fetched % q.setup.entries} * work_entry_bytes;
        e.length = work_entry_bytes;
        e.buffer = e.bytes.data();
        e.owner = this;
        ++q.fetched;
        ++q.fetches;
        ++fetched_;
        r_.function.start(e);
    }
}

void send_engine::finished(pcie::operation& o) {
    auto& e = static_cast<entry&>(o);
    queue_pair& q = queues_[e.queue];
    --q.fetches;
    e.at = stage::here;
    e.times.fetched = r_.events.now();
    if (may_begin(q)) to_begin_.add(q.to_begin);
    fetch_entries(q);
    advance();
}

bool send_engine::may_begin(const queue_pair& q) const {
    return q.state == queue_state::open && !q.stopped && q.begun != q.fetched && entry_at(q, q.begun).at == stage::here;
}

void send_engine::begin() {
    while (!to_begin_.empty()) {
        if (begin_at_ > r_.events.now()) return begin_.arm_by(begin_at_);
        queue_pair& q = queues_[to_begin_.take()];
        if (!may_begin(q)) continue;
        entry& e = entry_at(q, q.begun++);
        e.at = stage::processing;
        e.times.begun = r_.events.now();
        e.due = r_.events.now() + spec_.processing;
        begin_at_ = r_.events.now() + spec_.interval;
        ++q.processing;
        pipeline_.push(e);
        if (pipeline_.size() == 1) processed_.arm(e.due);
        if (may_begin(q)) to_begin_.add(q.to_begin);
    }
}

void send_engine::processed() {
    while (!pipeline_.empty() && pipeline_.front().due <= r_.events.now()) {
        entry& e = pipeline_.pop();
        queue_pair& q = queues_[e.queue];
        --q.processing;
        if (q.state == queue_state::open && !q.stopped) check(q, e);
    }
    if (!pipeline_.empty()) processed_.arm(pipeline_.front().due);
    advance();
}

void send_engine::check(queue_pair& q, entry& e) {
    e.at = stage::ready;
    e.times.processed = r_.events.now();
    const std::uint32_t count = q.processed++;
    if (e.failed()) return fail_entry(q, count, work_status::local_memory);
    const auto what = work_entry::decode(e.bytes);
    if (!what || what->number != e.number) return fail_entry(q, count, work_status::bad_entry);
    e.what = *what;
    e.packets = std::max(1u, (e.what.length + mtu_ - 1) / mtu_);
    if (!e.what.inline_data) {
        const auto local =
            r_.regions.find(e.what.local_key, e.what.local_address, e.what.length,
                            e.what.opcode == work_opcode::write ? access::local_read : access::local_write);
        if (!local) return fail_entry(q, count, work_status::local_access);
        e.local = *local;
    }
    launch_when_possible(q);
}

// ---- packets

void send_engine::advance() {
    if (advancing_) {
        again_ = true;
        return;
    }
    advancing_ = true;
    do {
        again_ = false;
        begin();
        launch();
        sender_.send();
        while (!to_retire_.empty() && completions_.ready()) retire(queues_[to_retire_.take()]);
    } while (again_ || sender_.made_room());
    advancing_ = false;
}

bool send_engine::may_launch(const queue_pair& q) const {
    if (q.state != queue_state::open || q.launching == q.processed) return false;
    const entry& e = entry_at(q, q.launching);
    if (e.done) return false;  // it has failed
    if (e.counted) return true;
    return !(e.what.fence && q.open_reads != 0) && !(has_answer(e.what.opcode) && q.open_reads == spec_.reads);
}

void send_engine::launch() {
    while (!to_launch_.empty()) {
        queue_pair& q = queues_[to_launch_.first()];
        const std::uint32_t n = number_of(q);
        if (sender_.filling(n) == nullptr) {
            if (!may_launch(q)) {
                to_launch_.take();
                continue;
            }
            if (!sender_.room()) return;
            fill(q, entry_at(q, q.launching));
        }
        entry& e = entry_at(q, q.launching);
        if (carried_packet* const p = sender_.filling(n)) {
            const auto got = sender_.gather(n, e.local, local_of(e, *p));
            if (got == translator::answer::later) return;
            if (got == translator::answer::absent) {  // its page was taken away after the entry's check
                p->packet.failed = true;
                sender_.complete(n);
            }
        }
        to_launch_.take();
        e.launched = has_answer(e.what.opcode) ? e.packets : e.launched + 1;
        if (e.launched == e.packets) ++q.launching;
        launch_when_possible(q);
    }
}

void send_engine::fill(queue_pair& q, entry& e) {
    const std::uint32_t n = number_of(q);
    if (!e.numbered) {
        e.numbered = true;
        e.first_sequence = q.next;
        q.next += e.packets;
        numbered_ += e.packets;
    }
    if (has_answer(e.what.opcode) && !std::exchange(e.counted, true)) ++q.open_reads;
    const std::uint32_t offset = e.launched * mtu_;  // within the message
    transport_header h;
    h.kind = kind_of(e.what.opcode);
    h.node = r_.port.node();
    h.queue = n;
    h.target = q.setup.queue;
    h.sequence = e.first_sequence + e.launched;
    h.first = e.launched == 0 || has_answer(e.what.opcode);
    h.last = e.launched + 1 == e.packets || has_answer(e.what.opcode);
    // Sent again, it asks how far the other end is: a try that never comes to the next answer would repeat itself.
    h.asks = h.last || q.returning || (h.sequence + 1) % spec_.acknowledge_every == 0;
    std::uint32_t payload = 0;
    if (h.first) {
        h.address = e.what.remote_address;
        h.key = e.what.remote_key;
        h.length = e.what.length;
    }
    switch (e.what.opcode) {
    case work_opcode::write: payload = std::min(mtu_, e.what.length - offset); break;
    case work_opcode::read:
        h.address += offset;
        h.length -= offset;
        break;
    case work_opcode::fetch_add:
    case work_opcode::compare_swap:
        h.operand = e.what.operand;
        h.compare = e.what.compare;
        break;
    }
    carried_packet& c = sender_.begin(n, static_cast<std::uint16_t>(q.setup.node), extra_bytes(h) + payload);
    c.packet.header = h;
    c.packet.place = q.launching;
    if (e.what.inline_data)
        c.packet.payload.assign(e.what.data.begin(), e.what.data.begin() + payload);
    else
        c.packet.payload.resize(payload);
    if (e.what.inline_data || payload == 0) sender_.complete(n);
}

std::uint64_t send_engine::local_of(const entry& e, const carried_packet& p) const {
    return e.what.local_address + std::uint64_t{p.packet.header.sequence - e.first_sequence} * mtu_;
}

bool send_engine::leaves(std::uint32_t queue, carried_packet& p) {
    queue_pair& q = queues_[queue];
    const transport_header& h = p.packet.header;
    if (q.state != queue_state::open || before(h.sequence, q.oldest)) return false;  // acknowledged meanwhile
    entry& e = entry_at(q, p.packet.place);
    const std::uint32_t end = h.kind == transport_kind::write ? h.sequence + 1 : e.first_sequence + e.packets;
    if (before(h.sequence, q.end)) ++sent_again_;
    if (!unanswered(q) || std::exchange(q.returning, false)) q.progress = r_.events.now();
    if (before(q.end, end)) q.end = end;
    if (h.last && e.times.sent.ps == 0) e.times.sent = r_.events.now();
    if (!q.retry.armed()) q.retry.arm_after(spec_.retry_after);
    return true;
}

void send_engine::gather_failed(std::uint32_t queue, carried_packet& p) {
    queue_pair& q = queues_[queue];
    const std::uint32_t count = p.packet.place;
    sender_.drop(queue);
    fail_entry(q, count, work_status::local_memory);
}

// ---- reliability

bool send_engine::unanswered(const queue_pair& q) const { return before(q.oldest, q.end); }

void send_engine::timed_out(std::uint32_t queue) {
    queue_pair& q = queues_[queue];
    if (q.state != queue_state::open || !unanswered(q) || q.returning) return;
    const core::sim_time due = q.progress + spec_.retry_after;
    if (due > r_.events.now()) return q.retry.arm(due);
    ++timeouts_;
    q.returned = false;
    go_back(q);
    advance();
}

void send_engine::go_back(queue_pair& q) {
    entry& first = entry_at(q, q.acknowledged);
    if (first.done) return;  // it has failed, and its queue pair will when the entries before it are complete
    sender_.drop(number_of(q));
    if (++q.retries > spec_.retries) return fail_entry(q, q.acknowledged, work_status::retries_exceeded);
    ++returns_;
    for (std::uint32_t c = q.acknowledged; c != q.processed && c != q.launching + 1; ++c) entry_at(q, c).launched = 0;
    first.launched = q.oldest - first.first_sequence;
    q.launching = q.acknowledged;
    q.returning = true;  // the time to an answer begins when the first packet has left again
    launch_when_possible(q);
}

// All packets up to that number, itself included.
void send_engine::acknowledge(queue_pair& q, std::uint32_t up_to) {
    if (before(up_to, q.oldest)) return;
    if (!before(up_to, q.end)) {
        ++unexpected_;
        return;
    }
    while (q.state == queue_state::open && before(q.oldest, up_to + 1)) {
        const entry& e = entry_at(q, q.acknowledged);
        if (has_answer(e.what.opcode)) return missing_answer(q);
        const std::uint32_t end = e.first_sequence + e.packets;
        advance_oldest(q, before(up_to + 1, end) ? up_to + 1 : end);
    }
}

// A later packet has been answered, and answers come in order.
void send_engine::missing_answer(queue_pair& q) {
    if (!std::exchange(q.returned, true)) go_back(q);
}

void send_engine::advance_oldest(queue_pair& q, std::uint32_t to) {
    const std::uint32_t n = number_of(q);
    acknowledged_ += to - q.oldest;
    q.oldest = to;
    q.progress = r_.events.now();
    q.retries = 0;
    q.returned = false;
    entry& e = entry_at(q, q.acknowledged);
    const bool all = to == e.first_sequence + e.packets;
    if (q.launching == q.acknowledged && !e.done) {  // packets that were to be sent again have been acknowledged
        const carried_packet* const p = sender_.filling(n);
        if (p != nullptr && before(p->packet.header.sequence, to)) sender_.drop(n);
        e.launched = std::max(e.launched, to - e.first_sequence);
        if (all) ++q.launching;
    }
    if (all) {
        ++q.acknowledged;
        if (!has_answer(e.what.opcode)) answer_complete(q, e);
    }
    launch_when_possible(q);
}

void send_engine::answer_complete(queue_pair& q, entry& e) {
    if (e.done) return;  // it has failed here, after all of its packets had left
    e.done = true;
    e.times.answered = r_.events.now();
    if (std::exchange(e.counted, false)) --q.open_reads;
    launch_when_possible(q);
    retire(q);
}

void send_engine::take(unsigned, carried_packet* p) {
    const transport_header& h = p->packet.header;
    bool kept = false;
    taking_ = true;
    queue_pair* const q = h.target < queues_.size() ? &queues_[h.target] : nullptr;
    if (q == nullptr || q->state != queue_state::open || q->setup.node != h.node || q->setup.queue != h.queue) {
        ++unexpected_;
    } else if (h.kind == transport_kind::acknowledgement) {
        acknowledge(*q, h.sequence);
    } else if (h.kind == transport_kind::refusal) {
        refused(*q, h);
    } else {
        kept = take_answer(*q, *p);
        if (!kept) ++unexpected_;
    }
    taking_ = false;
    if (!kept) p->of.give_back(*p);
    advance();
}

bool send_engine::take_answer(queue_pair& q, carried_packet& p) {
    const transport_header& h = p.packet.header;
    if (before(h.sequence, q.oldest) || !before(h.sequence, q.end)) return false;
    if (h.sequence != q.oldest) acknowledge(q, h.sequence - 1);
    if (q.state != queue_state::open || h.sequence != q.oldest) return false;
    entry& e = entry_at(q, q.acknowledged);
    const std::uint32_t offset = (h.sequence - e.first_sequence) * mtu_;
    const bool fits =
        h.kind == (is_atomic(e.what.opcode) ? transport_kind::atomic_answer : transport_kind::read_answer) &&
        has_answer(e.what.opcode) && p.packet.payload.size() == std::min(mtu_, e.what.length - offset);
    if (e.done || !fits) return false;
    p.packet.place = q.acknowledged;
    const registered_region local = e.local;
    advance_oldest(q, h.sequence + 1);
    if (p.packet.payload.empty()) {
        answer_complete(q, e);
        return false;
    }
    writer_.write(p, number_of(q), local, e.what.local_address + offset);
    return true;
}

void send_engine::started(std::uint32_t queue, const carried_packet& p) {
    queue_pair& q = queues_[queue];
    const std::uint32_t count = p.packet.place;
    if (q.state == queue_state::open && !before(count, q.retired)) {
        entry& e = entry_at(q, count);
        if (p.packet.header.sequence + 1 == e.first_sequence + e.packets) answer_complete(q, e);
    }
    if (taking_) return;
    r_.port.resume(net::packet_class::response);
    advance();
}

void send_engine::written(std::uint32_t, const carried_packet&) {}

void send_engine::refused(queue_pair& q, const transport_header& h) {
    if (before(h.sequence, q.oldest) || !before(h.sequence, q.end)) {
        ++unexpected_;
        return;
    }
    if (h.sequence != q.oldest) acknowledge(q, h.sequence - 1);
    if (q.state != queue_state::open || h.sequence != q.oldest) return;
    if (h.reason == refusal_reason::out_of_sequence) return go_back(q);
    if (entry_at(q, q.acknowledged).done) return;
    sender_.drop(number_of(q));
    fail_entry(q, q.acknowledged, nic::status_of(h.reason));
}

// ---- ends

// Entries before it go on; none after it begins.
void send_engine::fail_entry(queue_pair& q, std::uint32_t count, work_status s) {
    entry& e = entry_at(q, count);
    if (e.done) return;
    e.done = true;
    e.status = s;
    q.stopped = true;
    retire(q);
}

void send_engine::fail(queue_pair& q, queue_fault fault, work_status s, std::uint32_t number) {
    q.state = queue_state::failed;
    q.fault = fault;
    q.failed_as = s;
    q.failed_at = number;
    q.open_reads = 0;
    forgotten_ += q.next - q.oldest;
    sender_.drop(number_of(q));
    q.retry.cancel();
    r_.failed();
}

void send_engine::retire(queue_pair& q) {
    while (q.retired != q.produced) {
        entry* const e = is_here(q, q.retired) ? &entry_at(q, q.retired) : nullptr;
        const bool over = e != nullptr && e->done;
        if (!over && q.state != queue_state::failed) break;
        message_end m;
        m.queue = number_of(q);
        m.number = q.retired + 1;
        m.status = over ? e->status : work_status::flushed;
        if (over && m.status != work_status::bad_entry) {
            m.opcode = static_cast<std::uint8_t>(e->what.opcode);
            m.length = e->what.length;
        }
        if (over) m.at = e->times;
        const bool tells = m.status != work_status::done || e->what.signalled;
        if (tells) {
            if (q.completions - q.consumed == q.setup.completion_entries) {  // consumed() goes on
                if (q.state == queue_state::open) {
                    fail(q, queue_fault::completion_overrun, work_status::done, m.number);
                    continue;
                }
                return;
            }
            if (!completions_.ready()) {
                to_retire_.add(q.to_retire);
                return;
            }
        }
        ++q.retired;
        ++(m.status == work_status::done ? done_ : m.status == work_status::flushed ? flushed_ : failed_);
        open_.set(r_.events.now(), open_.last() - 1);
        if (tells) {
            const std::uint64_t at = q.setup.completion_ring +
                                     std::uint64_t{q.completions % q.setup.completion_entries} * queue_completion_bytes;
            const bool phase = queue_completion::phase_of(++q.completions, q.setup.completion_entries);
            ++completed_;
            completions_.put(at, m, phase);
        } else {
            ended(m);
        }
        if (m.status != work_status::done && q.state == queue_state::open)
            fail(q, queue_fault::entry, m.status, m.number);
    }
    fetch_entries(q);
}

void send_engine::ended(const message_end& m) {
    message_end all = m;
    all.at.completed = r_.events.now();
    if (m.status == work_status::done) latency_.add((all.at.completed - all.at.rung).ps);
    if (observer_ != nullptr) observer_->message_ended(all);
}

void send_engine::completion_left(const message_end& m) {
    ended(m);
    if (!to_retire_.empty()) advance();
}

// ---- all of it

void send_engine::drain(bool on) {
    draining_ = on;
    if (on) return;
    for (queue_pair& q : queues_) fetch_entries(q);
}

void send_engine::reset() {
    begin_.cancel();
    processed_.cancel();
    to_begin_.reset();
    to_launch_.reset();
    to_retire_.reset();
    pipeline_.clear();
    begin_at_ = {};
    draining_ = again_ = false;
    for (queue_pair& q : queues_) {
        q.retry.cancel();
        dropped_ += q.produced - q.retired;
        if (q.state == queue_state::open) forgotten_ += q.next - q.oldest;
        q.produced = q.fetched = q.begun = q.processed = q.launching = q.acknowledged = q.retired = 0;
        q.fetches = q.processing = 0;
        q.has_pushed = false;
        q.next = q.oldest = q.end = 0;
        q.state = queue_state::closed;
        q.fault = queue_fault::none;
    }
    open_.set(r_.events.now(), 0);
    sender_.reset();
    writer_.reset();
    gather_.reset();
    scatter_.reset();
    completions_.reset();
}

void send_engine::check(observe::conservation& checks) const {
    std::uint64_t open = 0, unacknowledged = 0;
    for (const queue_pair& q : queues_) {
        open += q.produced - q.retired;
        if (q.state == queue_state::open) unacknowledged += q.next - q.oldest;
    }
    checks.check(name_ + ": entries announced, and those done, failed, flushed, dropped and open", "entries",
                 announced_.value(), done_.value() + failed_.value() + flushed_.value() + dropped_.value() + open);
    checks.check(name_ + ": packets numbered, and those acknowledged, forgotten and under way", "packets",
                 numbered_.value(), acknowledged_.value() + forgotten_.value() + unacknowledged);
    checks.check(name_ + ": entries counted as open", "entries", static_cast<std::uint64_t>(open_.last()), open);
}

void send_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const queue_pair& q : queues_) {
        if (q.state == queue_state::closed || q.retired == q.produced) continue;
        const std::string self = fmt::format("{}.queue[{}]", name_, number_of(q));
        for (std::uint32_t n = q.begun; q.fetches != 0 && n != q.fetched; ++n) {
            if (entry_at(q, n).at != stage::fetching) continue;
            edges.push_back(
                {self, fmt::format("entry {}", n + 1), r_.function.link().name(), entry_at(q, n).times.fetching});
            break;
        }
        if (q.state == queue_state::failed || q.completions - q.consumed == q.setup.completion_entries)
            edges.push_back({self, "room in its completion ring", "software", q.progress});
        if (q.state == queue_state::open && unanswered(q))
            edges.push_back({self,
                             fmt::format("an answer to packet {} by queue pair {} of node {}", q.oldest, q.setup.queue,
                                         q.setup.node),
                             r_.port.name(), q.progress});
        else if (q.state == queue_state::open && before(q.launching, q.processed) && !may_launch(q))
            edges.push_back({self, fmt::format("answers to {} earlier reads", q.open_reads), self, q.progress});
    }
    sender_.report_waits(edges);
    writer_.report_waits(edges);
    gather_.report_waits(edges);
    scatter_.report_waits(edges);
    completions_.report_waits(edges);
}

}  // namespace contraflow::nic
