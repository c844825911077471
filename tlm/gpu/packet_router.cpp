// SPDX-License-Identifier: Apache-2.0
#include "gpu/packet_router.h"

#include <utility>

#include <fmt/format.h>

#include "memory/transaction/memory_extension.h"

namespace contraflow::gpu {

packet_router::packet_router(core::scheduler& events, std::string name, unsigned number, unsigned nodes, bool datelines)
    : events_(events),
      name_(std::move(name)),
      number_(number),
      levels_(datelines ? 2 : 1),
      routes_(nodes, nowhere) {}

unsigned packet_router::add_link(link::link_port& port, bool dateline) {
    const auto number = static_cast<unsigned>(links_.size());
    port.attach(*this, number, name_);
    links_.push_back({&port, dateline, {}});
    inputs_.resize(links_.size() * channels());
    turn_.resize(inputs_.size());
    user_waits_.resize(inputs_.size());
    return number;
}

unsigned packet_router::output_for(unsigned target, unsigned vc) const {
    const unsigned port = routes_[target];
    const bool second = links_[port].dateline && vc % levels_ == 0 && levels_ == 2;
    return index(port, second ? vc + 1 : vc);
}

// ---- from here

bool packet_router::can_inject(packet_class kind, unsigned target) {
    const unsigned out = output_for(target, static_cast<unsigned>(kind) * levels_);
    if (links_[out / channels()].port->can_send(out % channels())) return true;
    user_waits_[out] = true;
    return false;
}

void packet_router::inject(packet_class kind, link::packet p) {
    send(output_for(p.target, static_cast<unsigned>(kind) * levels_), p);
}

void packet_router::send(unsigned output, link::packet p) {
    attached& to = links_[output / channels()];
    p.vc = static_cast<std::uint8_t>(output % channels());
    to.last_sent = events_.now();
    to.port->send(p);
}

// ---- through here, and to here

void packet_router::account(const link::delivery& d, packet_class kind, const std::string& link) {
    auto& request = *static_cast<memory::memory_extension*>(d.what.load);
    const bool back = kind == packet_class::response;
    request.times.pass(link.c_str(), d.started);
    request.milestone(back ? memory::stage::response_link_queue : memory::stage::link_queue, d.started);
    request.milestone(back ? memory::stage::response_link : memory::stage::link, d.arrived);
}

bool packet_router::pass(unsigned port, unsigned vc) {
    link::link_port& from = *links_[port].port;
    if (!from.has(vc)) return false;
    const link::delivery& first = from.front(vc);
    const packet_class kind = class_of(vc);
    if (first.what.target == number_) {
        if (!user_->can_take(kind, first.what)) return false;
        account(first, kind, from.inward().configuration().path);
        user_->take_packet(kind, from.pop(vc).what);
        return true;
    }
    const unsigned out = output_for(first.what.target, vc);
    if (!links_[out / channels()].port->can_send(out % channels())) {
        wait_for(port, vc, out);
        return false;
    }
    account(first, kind, from.inward().configuration().path);
    auto& request = *static_cast<memory::memory_extension*>(first.what.load);
    request.times.pass(name_.c_str(), first.arrived);
    send(out, from.pop(vc).what);
    return true;
}

void packet_router::wait_for(unsigned port, unsigned vc, unsigned output) {
    inputs_[index(port, vc)] = {output, links_[port].port->front(vc).arrived};
}

void packet_router::pass_all_but(unsigned port, unsigned vc, unsigned output) {
    const link::link_port& from = *links_[port].port;
    do {
        if (!from.has(vc)) return;
        const unsigned target = from.front(vc).what.target;
        if (target != number_ && output_for(target, vc) == output) return wait_for(port, vc, output);
    } while (pass(port, vc));
}

void packet_router::packet_arrived(unsigned port, unsigned vc) {
    if (inputs_[index(port, vc)].waits_for != nowhere) return;  // behind one that has to wait
    while (pass(port, vc)) {}
}

void packet_router::link_ready(unsigned port, unsigned vc) {
    const unsigned out = index(port, vc);
    const auto user = static_cast<unsigned>(inputs_.size());
    unsigned& turn = turn_[out];
    for (unsigned idle = 0; idle <= user;) {  // inputs in a row that have nothing for this output
        const unsigned i = turn;
        if (i == user ? !user_waits_[out] : inputs_[i].waits_for != out) {
            turn = i == user ? 0 : i + 1;
            ++idle;
            continue;
        }
        if (!links_[port].port->can_send(vc)) return;  // this one has the next turn
        turn = i == user ? 0 : i + 1;
        idle = 0;
        if (i == user) {
            user_waits_[out] = false;
            user_->may_inject(class_of(vc));
        } else {
            inputs_[i].waits_for = nowhere;
            pass(i / channels(), i % channels());
            pass_all_but(i / channels(), i % channels(), out);
        }
    }
}

void packet_router::offer_again(packet_class kind) {
    for (unsigned port = 0; port < links_.size(); ++port)
        for (unsigned level = 0; level < levels_; ++level) {
            const unsigned vc = static_cast<unsigned>(kind) * levels_ + level;
            if (inputs_[index(port, vc)].waits_for == nowhere)
                while (pass(port, vc)) {}
        }
}

void packet_router::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const input& in : inputs_)
        if (in.waits_for != nowhere)
            edges.push_back({name_, fmt::format("room in the queue of channel {}", in.waits_for % channels()),
                             channel_name(in.waits_for / channels()), in.since});
    for (unsigned out = 0; out < user_waits_.size(); ++out)
        if (user_waits_[out])
            edges.push_back({name_, fmt::format("room in the queue of channel {}", out % channels()),
                             channel_name(out / channels()), links_[out / channels()].last_sent});
    for (unsigned port = 0; port < links_.size(); ++port)
        if (links_[port].port->outward().held() > 0)
            edges.push_back({name_, "packets to arrive", channel_name(port), links_[port].last_sent});
}

void packet_router::reset() {
    inputs_.assign(inputs_.size(), {});
    turn_.assign(turn_.size(), 0);
    user_waits_.assign(user_waits_.size(), false);
}

}  // namespace contraflow::gpu
