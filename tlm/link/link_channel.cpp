// SPDX-License-Identifier: Apache-2.0
#include "link/link_channel.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::link {

link_channel::link_channel(core::scheduler& events, const spec& s, channel_statistics& statistics, lane_set_if& lanes,
                           direction heading, const calls& owner, const end& sender, const end& receiver)
    : events_(events),
      spec_(s),
      statistics_(statistics),
      lane_set_(lanes),
      heading_(heading),
      owner_(owner),
      sender_(sender),
      receiver_(receiver),
      in_flight_(0),
      departure_(events, *this),
      arrival_(events, *this),
      credit_(events, *this) {
    // The largest number of packets with outstanding credits: all as short as possible.
    const std::uint32_t shortest = std::max<std::uint32_t>(1, (s.header + s.phit - 1) / s.phit);
    const std::size_t most = s.buffer / shortest;
    for (unsigned vc = 0; vc < s.vcs; ++vc) {
        vcs_[vc].queue = core::bounded_queue<queued_packet>(s.queue);
        vcs_[vc].buffer = core::bounded_queue<received_packet>(most);
        vcs_[vc].credits = core::credits(s.buffer, most);
    }
    in_flight_ = core::bounded_queue<received_packet>(most * s.vcs);
}

// --- sender

bool link_channel::can_send(unsigned vc) {
    virtual_channel& v = vcs_[vc];
    const bool room = accepting_ && !v.queue.full();
    v.refused = v.refused || !room;
    return room;
}

void link_channel::send(const packet& p) {
    const std::uint32_t phits = std::max<std::uint32_t>(1, (p.bytes + spec_.header + spec_.phit - 1) / spec_.phit);
    if (phits > spec_.buffer)
        throw std::logic_error(
            fmt::format("{}: a packet of {} phits never fits a receive buffer of {}", spec_.path, phits, spec_.buffer));
    if (p.vc >= spec_.vcs || !accepting_ || !vcs_[p.vc].queue.try_push({p, events_.now(), phits}))
        throw std::logic_error(fmt::format("{}: a packet was sent that can_send() refuses", spec_.path));
    ++accepted_;
    statistics_.waiting.set(events_.now(), static_cast<double>(++waiting_));
    if (transmitting())
        arm_departure();
    else if (!departure_.armed())
        start_next();
    if (observed_) owner_.queues_changed();
}

void link_channel::tell_refused(unsigned vc) {
    if (!vcs_[vc].refused || !accepting_ || vcs_[vc].queue.full()) return;
    vcs_[vc].refused = false;
    sender_.owner->link_ready(sender_.port, vc);
}

// --- lanes

void link_channel::settle(core::sim_time now) {
    if (!on_wire_) return;
    const core::sim_time end = std::min(now, finish_);
    if (end <= settled_) return;
    const std::uint64_t done = lanes_ * (end - settled_).ps;
    const std::uint64_t used = std::min(done, left_);
    surplus_ = done - used;
    left_ -= used;
    carry({settled_.ps, end.ps, lanes_, used});
    settled_ = end;
}

void link_channel::find_finish() {
    finish_ = lanes_ == 0 ? core::sim_time::never() : settled_ + core::sim_time{(left_ + lanes_ - 1) / lanes_};
    const core::sim_time arrived = lanes_ == 0 ? core::sim_time::never() : finish_ + spec_.latency;
    for (std::size_t i = 1; i <= as_one_; ++i) in_flight_[in_flight_.size() - i].what.arrived = arrived;
}

void link_channel::leave_wire() {
    settle(finish_);
    on_wire_ = false;
}

void link_channel::set_lanes(unsigned lanes) {
    settle();
    lanes_ = lanes;
    if (!transmitting()) return;
    find_finish();
    departure_.cancel();
    if (waiting_ > 0) arm_departure();
    if (in_flight_.size() == as_one_) arm_arrival();
}

void link_channel::carry(const lane_burst& b) {
    statistics_.busy += b.carried;
    lane_set_.carried(heading_, b);
}

void link_channel::interrupt(core::sim_time until) {
    settle();
    resumes_at_ = std::max(resumes_at_, until);
    if (!transmitting()) return;
    left_ = wire_phits_ * spec_.cycle.ps;
    settled_ = resumes_at_;
    statistics_.resent += as_one_;
    statistics_.wire += wire_phits_ * spec_.phit;
    find_finish();
    departure_.cancel();
    if (waiting_ > 0) arm_departure();
    if (in_flight_.size() == as_one_) arm_arrival();
}

// --- transmission

bool link_channel::may_start(unsigned vc) {
    virtual_channel& v = vcs_[vc];
    if (v.queue.empty()) return false;
    return v.credits.available(events_.now()) >= v.queue.front().phits;
}

void link_channel::start_next() {
    if (on_wire_) leave_wire();
    if (!sending_ || waiting_ == 0) return end_starvation();
    for (unsigned i = 0; i < spec_.vcs; ++i) {
        const unsigned vc = turn_ + i < spec_.vcs ? turn_ + i : turn_ + i - spec_.vcs;
        if (may_start(vc)) return transmit(vc);
    }
    if (!starved_) starved_since_ = events_.now();
    starved_ = true;
    arm_credit_wake();
}

// If credits were lacking, checks again as soon as one is due.
void link_channel::end_starvation() {
    if (starved_) statistics_.credit_stall += (events_.now() - starved_since_).ps;
    starved_ = false;
}

void link_channel::transmit(unsigned vc) {
    const core::sim_time now = events_.now();
    const queued_packet next = vcs_[vc].queue.pop();
    turn_ = vc + 1 < spec_.vcs ? vc + 1 : 0;
    end_starvation();
    wire_phits_ = next.phits;
    statistics_.wire += next.phits * spec_.phit;
    statistics_.wire_series.add(now, next.phits * spec_.phit);

    // settled_ is when the previous packet left; its last picosecond may have capacity left.
    left_ = next.phits * spec_.cycle.ps;
    const std::uint64_t over = settled_ == now ? std::min(surplus_, left_) : 0;
    left_ -= over;
    if (over > 0) carry({now.ps, now.ps, lanes_, over});
    surplus_ = 0;
    settled_ = std::max(now, resumes_at_);
    on_wire_ = true;
    as_one_ = 0;
    put_on_wire(vc, next);
    if (next.what.tag) add_tags(vc);
    statistics_.waiting.set(now, static_cast<double>(waiting_));
    find_finish();
    if (waiting_ > 0) arm_departure();
    if (in_flight_.size() == as_one_) arm_arrival();
    owner_.traffic_began();
    tell_refused(vc);
}

void link_channel::put_on_wire(unsigned vc, const queued_packet& next) {
    vcs_[vc].credits.take(next.phits);
    --waiting_;
    ++statistics_.packets;
    statistics_.payload += next.what.bytes;
    in_flight_.try_push({{next.what, next.sent, settled_, {}}, next.phits});
    ++as_one_;
}

void link_channel::add_tags(unsigned vc) {
    virtual_channel& v = vcs_[vc];
    while (as_one_ < spec_.tags && may_start(vc) && v.queue.front().what.tag) put_on_wire(vc, v.queue.pop());
}

void link_channel::arm_departure() {
    if (!departure_.armed() && finish_ != core::sim_time::never()) departure_.arm(finish_);
}

void link_channel::departure() {
    start_next();
    if (observed_) owner_.queues_changed();
}

void link_channel::arm_arrival() {
    const core::sim_time at = in_flight_.front().what.arrived;
    arrival_.cancel();
    if (at != core::sim_time::never()) arrival_.arm(at);
}

void link_channel::arrival() {
    const core::sim_time now = events_.now();
    while (!in_flight_.empty() && in_flight_.front().what.arrived <= now) {
        const received_packet p = in_flight_.pop();
        const unsigned vc = p.what.what.vc;
        vcs_[vc].buffer.try_push(p);
        ++buffered_;
        statistics_.latency.add((now - p.what.sent).ps);
        receiver_.owner->packet_arrived(receiver_.port, vc);
    }
    if (!in_flight_.empty() && !arrival_.armed()) arm_arrival();
}

// --- receiver

delivery link_channel::pop(unsigned vc) {
    virtual_channel& v = vcs_[vc];
    const received_packet p = v.buffer.pop();
    --buffered_;
    ++taken_;
    v.credits.give_back(p.phits, events_.now() + spec_.latency);
    if (starved_) arm_credit_wake();
    return p.what;
}

void link_channel::arm_credit_wake() {
    core::sim_time at = core::sim_time::never();
    for (unsigned vc = 0; vc < spec_.vcs; ++vc) {
        const virtual_channel& v = vcs_[vc];
        if (!v.queue.empty()) at = std::min(at, v.credits.when(v.queue.front().phits));
    }
    if (at != core::sim_time::never()) credit_.arm_by(std::max(at, events_.now()));
}

void link_channel::credits_returned() {
    if (starved_ && !transmitting()) start_next();
    if (observed_) owner_.queues_changed();
}

// --- control and questions

void link_channel::set_sending(bool on) {
    if (sending_ == on) return;
    sending_ = on;
    if (on && !transmitting() && !departure_.armed()) start_next();
}

void link_channel::set_accepting(bool on) {
    if (accepting_ == on) return;
    accepting_ = on;
    for (unsigned vc = 0; on && vc < spec_.vcs; ++vc) tell_refused(vc);
}

void link_channel::reset() {
    settle();
    on_wire_ = starved_ = false;
    departure_.cancel();
    arrival_.cancel();
    credit_.cancel();
    surplus_ = 0;
    resumes_at_ = {};
    waiting_ = buffered_ = 0;
    statistics_.waiting.set(events_.now(), 0);
    const auto drop = [this](const packet& p) {
        ++dropped_;
        sender_.owner->packet_dropped(sender_.port, p);
    };
    while (!in_flight_.empty()) drop(in_flight_.pop().what.what);
    for (unsigned vc = 0; vc < spec_.vcs; ++vc) {
        virtual_channel& v = vcs_[vc];
        v.refused = false;
        v.credits.reset();
        while (!v.buffer.empty()) drop(v.buffer.pop().what.what);
        while (!v.queue.empty()) drop(v.queue.pop().what);
    }
}

std::uint64_t link_channel::all_credits(unsigned vc) const {
    const virtual_channel& v = vcs_[vc];
    std::uint64_t all = v.credits.all();
    for (std::size_t i = 0; i < v.buffer.size(); ++i) all += v.buffer[i].phits;
    for (std::size_t i = 0; i < in_flight_.size(); ++i)
        if (in_flight_[i].what.what.vc == vc) all += in_flight_[i].phits;
    return all;
}

void link_channel::report_waits(std::vector<core::wait_edge>& edges) const {
    if (lanes_ == 0 && waiting_ + in_flight_.size() > 0)
        edges.push_back({spec_.path, "a lane that works", spec_.path + ".lanes", settled_});
    for (unsigned vc = 0; vc < spec_.vcs; ++vc) {
        const virtual_channel& v = vcs_[vc];
        const std::string name = fmt::format("{}.vc[{}]", spec_.path, vc);
        if ((!sending_ && !v.queue.empty()) || (!accepting_ && v.refused))
            edges.push_back(
                {name, "to be enabled", spec_.path, v.queue.empty() ? events_.now() : v.queue.front().sent});
        if (!v.buffer.empty())
            edges.push_back({name, "its packet to be taken", receiver_.name, v.buffer.front().what.arrived});
        else if (!v.queue.empty() && v.credits.here() < v.queue.front().phits)
            edges.push_back({name, fmt::format("{} phits of receive buffer", v.queue.front().phits), receiver_.name,
                             v.queue.front().sent});
    }
}

}  // namespace contraflow::link
