// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/port.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

constexpr std::size_t dllp_batches = 64;  // more than can be on any wire at once

}  // namespace

core::sim_time port::default_dllp_latency(link_rate rate, std::uint32_t max_payload) {
    // Ack latency limit = (payload + overhead) x factor / width + internal delay, in symbol times (table 3-7 for 1.0;
    // 2.0 and 3.0 add their own internal delays; later generations are taken as 3.0).
    const bool small = max_payload <= 256;
    const double factor = rate.lanes >= 16  ? (small ? 3.0 : 2.0)
                          : rate.lanes >= 8 ? (small ? 2.5 : 1.0)
                                            : (small ? 1.4 : 1.0);
    const double internal = rate.generation == 1 ? 19 : rate.generation == 2 ? 70 : 115;
    const double symbols = (max_payload + 28.0) * factor / rate.lanes + internal;
    const double bits_a_symbol = rate.generation <= 2 ? 10 : 8;
    return core::sim_time::from_seconds(symbols * bits_a_symbol / (rate.gigatransfers_per_s() * 1e9));
}

core::sim_time port::default_replay_timeout(link_rate rate, std::uint32_t max_payload) {
    return default_dllp_latency(rate, max_payload) * 3;
}

port::port(const sc_core::sc_module_name& name, const resources& shared, const spec& s, port_owner_if& owner,
           unsigned number)
    : sc_module(name),
      tx("tx"),
      rx("rx"),
      events_(shared.events),
      spec_(s),
      owner_(owner),
      number_(number),
      statistics_(shared.statistics, sc_object::name()),
      wire_(s.raw, s.overhead, s.propagation),
      replay_(s.replay_tlps),
      dllp_latency_(s.dllp_latency),
      replay_timeout_(s.replay_timeout),
      queues_{core::bounded_queue<received_tlp>(s.buffers[0].headers),
              core::bounded_queue<received_tlp>(s.buffers[1].headers),
              core::bounded_queue<received_tlp>(s.buffers[2].headers)},
      unacknowledged_tails_(s.buffers[0].headers + s.buffers[1].headers + s.buffers[2].headers),
      dllps_on_the_way_(dllp_batches),
      wake_(events_, *this),
      replay_timer_(events_, *this),
      dllps_(events_, *this),
      refresh_(events_, *this),
      calls_(events_, *this) {
    tx.bind(*this);
    rx.bind(*this);
    for (const auto c : all_credit_classes)
        limit_[index(c)] = delivered_limit_[index(c)] = s.buffers[index(c)].credits();
}

port::~port() { drop_received(); }

void port::drop_received() {
    for (auto& q : queues_)
        while (!q.empty()) q.pop().packet->release();
}

void port::reset() {
    wake_.cancel();
    replay_timer_.cancel();
    dllps_.cancel();
    refresh_.cancel();
    calls_.cancel();
    drop_received();
    replay_.reset();
    replay_next_ = 0;
    account_ = {};
    wire_.clear(events_.now());
    for (const auto c : all_credit_classes)
        limit_[index(c)] = delivered_limit_[index(c)] = spec_.buffers[index(c)].credits();
    update_due_ = {};
    expected_ = arrivals_ = held_ = arrived_ = acknowledged_ = 0;
    unacknowledged_tails_.clear();
    again_due_ = false;
    retrained_at_ = {};
    statistics_.buffered.set(events_.now(), 0);
    note_hold(hold::none);
    dllps_on_the_way_.clear();
    sending_ = ack_due_ = nak_due_ = nak_sent_ = false;
}

void port::start_of_simulation() { advertise(); }

void port::advertise() {
    for (const auto c : all_credit_classes) rx->receive_dllp({dllp_kind::init_flow_control, 0, c, limit_[index(c)]});
}

// --- sending

port::hold port::held(credit_class c, std::uint32_t payload_bytes) const {
    if (replaying()) return hold::replaying;
    if (events_.now() < wire_.free_at()) return hold::wire;
    if (replay_.full()) return hold::replay_space;
    return account_.allows(c, payload_bytes) ? hold::none : hold::credits;
}

void port::send(tlp* packet) {
    account_.consume(packet->flow(), packet->payload());
    const std::uint64_t sequence = replay_.keep(packet);
    replay_next_ = replay_.next();
    ++statistics_.tlps;
    statistics_.payload_bytes += packet->payload();
    sending_ = true;
    sent_at_ = events_.now() + wire_.duration(wire_bytes(*packet, wire_.overhead()));
    blocked_since_ = events_.now();
    note_hold(hold::none);
    transmit(packet, sequence, false);
    packet->release();  // the replay buffer and the receiver hold their own
}

void port::note_hold(hold why) {
    if (why == stall_) return;
    stall_ = why;
    statistics_.credit_stall.set(events_.now(), why == hold::credits ? 1 : 0);
    statistics_.replay_stall.set(events_.now(), why == hold::replay_space ? 1 : 0);
}

void port::transmit(tlp* packet, std::uint64_t sequence, bool again) {
    const std::uint32_t size = wire_bytes(*packet, wire_.overhead());
    const auto start = wire_.occupy(events_.now(), size);
    statistics_.tlp_wire_bytes += size;
    if (sequence == replay_.first()) oldest_since_ = wire_.free_at();
    if (!replay_timer_.armed() && !replaying()) arm_replay_timer();
    const auto header = wire_.duration(size - packet->payload());
    const bool corrupted = faults_ != nullptr && faults_->corrupts_tlp(size);
    tx->receive_tlp(
        {packet, sequence, corrupted, start + header + wire_.propagation(), wire_.free_at() + wire_.propagation()});
    if (observer_ != nullptr) observer_->tlp_sent(observer_id_, *packet, start, wire_.free_at(), again, corrupted);
    tell_observer();
    if (replaying() || owner_.awaits_wire(number_)) wake_when_free();
}

void port::wake_when_free() {
    if (!wake_.armed()) wake_.arm(std::max(wire_.free_at(), events_.now()));
}

void port::wire_free() {
    if (sending_ && events_.now() >= sent_at_) {
        sending_ = false;
        owner_.transmitted(number_);
    }
    if (events_.now() < wire_.free_at()) {  // DLLPs were sent first
        wake_when_free();
    } else if (replaying()) {
        tlp* const packet = replay_.at(replay_next_);
        ++statistics_.replayed_tlps;
        statistics_.replayed_wire_bytes += wire_bytes(*packet, wire_.overhead());
        transmit(packet, replay_next_++, true);
    } else {
        owner_.may_transmit(number_);
    }
}

void port::receive_dllp(const dllp& packet) {
    switch (packet.kind) {
    case dllp_kind::init_flow_control:
    case dllp_kind::update_flow_control: account_.set_limit(packet.flow, packet.limit); break;
    case dllp_kind::ack:
    case dllp_kind::nak:
        if (replay_.acknowledge(packet.next_sequence)) oldest_since_ = events_.now();
        replay_next_ = std::max(replay_next_, replay_.first());
        if (packet.kind == dllp_kind::nak) {
            ++statistics_.naks;
            replay_next_ = replay_.first();
        }
        break;
    }
    tell_observer();
    if (packet.kind == dllp_kind::init_flow_control) {
        peer_initial_[index(packet.flow)] = packet.limit;
        if (packet.flow == credit_class::completion) wake_when_free();  // all three are known now
    } else if (wire_idle()) {
        owner_.may_transmit(number_);
    } else if (replaying() || owner_.awaits_wire(number_)) {
        wake_when_free();
    }
}

void port::arm_replay_timer() { replay_timer_.arm(std::max(events_.now(), oldest_since_ + replay_timeout_)); }

void port::check_replay_timer() {
    if (replay_.empty() || replaying()) return;  // the last TLP of a replay arms it again
    if (events_.now() < oldest_since_ + replay_timeout_) return arm_replay_timer();
    ++statistics_.replay_timeouts;
    replay_next_ = replay_.first();
    wake_when_free();
}

void port::retrain(core::bandwidth raw, core::sim_time dllp_latency, core::sim_time replay_timeout,
                   core::sim_time duration) {
    dllp_latency_ = dllp_latency;
    replay_timeout_ = replay_timeout;
    retrained_at_ = events_.now() + duration;
    wire_.pause_until(retrained_at_);
    if (!replay_.empty()) oldest_since_ = std::max(oldest_since_, retrained_at_);
    wire_.set_rate(raw);
    wake_when_free();
}

// --- receiving

void port::receive_tlp(const tlp_transfer& transfer) {
    if (transfer.corrupted) {
        ++statistics_.corrupted_tlps;
        if (!nak_sent_) {
            nak_sent_ = nak_due_ = true;
            nak_at_ = transfer.tail;
            request_dllp(transfer.tail);
        }
        return;
    }
    if (transfer.sequence != expected_) {
        ++statistics_.discarded_tlps;
        if (transfer.sequence < expected_) {  // a replay of a TLP that had arrived: the ack was lost or late
            ack_due_ = again_due_ = true;
            request_dllp(transfer.tail);
        }
        return;
    }
    ++expected_;
    nak_sent_ = nak_due_ = false;
    ++statistics_.accepted_tlps;
    unacknowledged_tails_.try_push(transfer.tail);
    const auto c = transfer.packet->flow();
    auto& queue = queues_[index(c)];
    transfer.packet->retain();
    const admission admitted = owner_.admit(number_, transfer);
    const received_tlp entry{transfer.packet, arrivals_++, admitted.ready, admitted.out, transfer.packet->payload()};
    if (!queue.try_push(entry))
        throw std::logic_error(fmt::format("{}: more {} TLPs than credits", sc_object::name(), to_text(c)));
    statistics_.buffered.set(events_.now(), static_cast<double>(++held_));
    if (queue.size() == 1) announce(c);
    tell_observer();
    ack_due_ = true;
    request_dllp(transfer.tail + dllp_latency_);
}

void port::announce(credit_class c) {
    calls_.at<&port::queue_head_ready>(std::max(front(c).ready, events_.now()), static_cast<std::uint32_t>(c));
}

void port::queue_head_ready(std::uint32_t number) {
    const auto c = static_cast<credit_class>(number);
    if (front_ready(c)) owner_.head_ready(number_, c);
}

bool port::may_leave(credit_class c) const {
    return c == credit_class::posted || !has(credit_class::posted) ||
           front(c).order < front(credit_class::posted).order ||
           (c == credit_class::completion && front(c).packet->relaxed);
}

tlp* port::pop(credit_class c) {
    const auto i = index(c);
    const received_tlp taken = queues_[i].pop();
    statistics_.buffered.set(events_.now(), static_cast<double>(--held_));
    ++limit_[i].headers;
    limit_[i].data += data_credits(taken.payload);
    update_due_[i] = true;
    request_dllp(events_.now() + dllp_latency_);
    tell_observer();
    if (has(c)) {
        if (front(c).ready > events_.now())
            announce(c);
        else
            owner_.head_ready(number_, c);
    }
    return taken.packet;
}

// --- DLLPs about received TLPs: they leave by this port's own direction

void port::request_dllp(core::sim_time at) {
    dllps_.arm_by(at);  // an earlier departure includes this DLLP
}

void port::send_dllps() {
    if (retrained_at_ > events_.now()) return request_dllp(retrained_at_);  // the link is down
    while (!unacknowledged_tails_.empty() && unacknowledged_tails_.front() <= events_.now()) {
        unacknowledged_tails_.pop();
        ++arrived_;
    }
    dllp_batch batch;
    unsigned count = 0;
    const bool nak = nak_due_ && nak_at_ <= events_.now();
    if (nak || (ack_due_ && (arrived_ != acknowledged_ || again_due_))) {
        ++count;
        batch.acknowledges = dllp_survives();
        batch.acknowledgement = nak ? dllp_kind::nak : dllp_kind::ack;
        batch.next_sequence = acknowledged_ = arrived_;
        again_due_ = false;
        if (nak) nak_due_ = false;
    }
    // TLPs still on the wire are acknowledged later.
    ack_due_ = !unacknowledged_tails_.empty();
    if (ack_due_) request_dllp(unacknowledged_tails_.front() + dllp_latency_);
    if (nak_due_) request_dllp(nak_at_);
    for (const auto c : all_credit_classes) {
        const auto i = index(c);
        if (!update_due_[i]) continue;
        ++count;
        update_due_[i] = false;
        batch.updates[i] = dllp_survives();
        batch.limits[i] = limit_[i];
        if (batch.updates[i]) delivered_limit_[i] = limit_[i];
    }
    if (count == 0) return;
    const std::uint32_t size = count * wire_.overhead().dllp;
    statistics_.dllps += count;
    statistics_.dllp_wire_bytes += size;
    const auto start = wire_.occupy(events_.now(), size);
    if (observer_ != nullptr) observer_->dllps_sent(observer_id_, count, start, wire_.free_at());
    batch.arrival = wire_.free_at() + wire_.propagation();
    if (!dllps_on_the_way_.try_push(batch)) throw std::logic_error(fmt::format("{}: DLLPs pile up", name()));
    calls_.at<&port::deliver_dllps>(batch.arrival);
    if (faults_ != nullptr && !refresh_.armed() && delivered_limit_ != limit_)
        refresh_.arm_after(spec_.flow_control_refresh);
}

bool port::dllp_survives() {
    if (faults_ == nullptr || !faults_->corrupts_dllp(wire_.overhead().dllp)) return true;
    ++statistics_.corrupted_dllps;
    return false;
}

void port::deliver_dllps() {
    const dllp_batch batch = dllps_on_the_way_.pop();
    if (batch.acknowledges) rx->receive_dllp({batch.acknowledgement, batch.next_sequence, credit_class::posted, {}});
    for (const auto c : all_credit_classes)
        if (batch.updates[index(c)]) rx->receive_dllp({dllp_kind::update_flow_control, 0, c, batch.limits[index(c)]});
}

// A lost update would starve the other end for ever, so the specification has updates repeated.
void port::refresh_flow_control() {
    for (const auto c : all_credit_classes)
        if (delivered_limit_[index(c)] != limit_[index(c)]) update_due_[index(c)] = true;
    request_dllp(events_.now());
}

// --- is anything under way?

bool port::credits_home() const {
    for (const auto c : all_credit_classes)
        if (account_.available(c) != peer_initial_[index(c)]) return false;
    return true;
}

bool port::idle() const {
    return replay_.empty() && credits_home() &&
           std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
}

void port::report_wait(credit_class c, std::uint32_t payload_bytes, const std::string& waiter,
                       std::vector<core::wait_edge>& edges) const {
    if (retrained_at_ > events_.now()) {
        edges.push_back({waiter, fmt::format("the link to retrain (until {})", to_text(retrained_at_)),
                         sc_object::name(), blocked_since_});
        return;
    }
    switch (held(c, payload_bytes)) {
    case hold::credits:
        edges.push_back(
            {waiter, fmt::format("{} {} credit", to_text(c), account_.missing(c)), peer_name_, blocked_since_});
        break;
    case hold::replay_space:
    case hold::replaying: edges.push_back({waiter, "acknowledgement", peer_name_, oldest_since_}); break;
    case hold::wire: edges.push_back({waiter, "the wire", name(), blocked_since_}); break;
    case hold::none: break;
    }
}

}  // namespace contraflow::pcie
