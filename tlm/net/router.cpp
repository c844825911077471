// SPDX-License-Identifier: Apache-2.0
#include "net/router.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::net {

router::router(core::scheduler& events, std::string name, unsigned number, unsigned nodes, unsigned levels)
    : events_(events),
      name_(std::move(name)),
      number_(number),
      levels_(levels),
      routes_(nodes, nowhere) {}

unsigned router::add_link(link::link_port& port, unsigned dimension, bool dateline) {
    const auto number = static_cast<unsigned>(links_.size());
    port.attach(*this, number, name_);
    links_.push_back({&port, dimension, dateline, {}});
    inputs_.resize(links_.size() * channels());
    turn_.resize(inputs_.size());
    client_waits_.resize(inputs_.size());
    return number;
}

unsigned router::output_for(unsigned target, packet_class kind, unsigned from_dimension, unsigned level) const {
    const unsigned port = routes_[target];
    const attached& l = links_[port];
    return index(port, static_cast<unsigned>(kind) * levels_ +
                           wiring::next_level(l.dimension, l.dateline, from_dimension, level));
}

// ---- from here

bool router::can_inject(packet_class kind, unsigned target) {
    const unsigned out = output_for(target, kind);
    if (links_[out / channels()].port->can_send(out % channels())) return true;
    client_waits_[out] = true;
    return false;
}

void router::inject(packet_class kind, link::packet p) { send(output_for(p.target, kind), p); }

void router::send(unsigned output, link::packet p) {
    attached& to = links_[output / channels()];
    p.vc = static_cast<std::uint8_t>(output % channels());
    to.last_sent = events_.now();
    to.port->send(p);
}

// ---- through here, and to here

void router::account(const link::delivery& d, packet_class kind, const std::string& link) {
    d.what.payload->crossed(link.c_str(), kind == packet_class::response, d.started, d.arrived);
}

bool router::pass(unsigned port, unsigned vc) {
    link::link_port& from = *links_[port].port;
    if (!from.has(vc)) return false;
    const link::delivery& first = from.front(vc);
    const packet_class kind = class_of(vc);
    if (first.what.target == number_) {
        if (!client_->can_take(kind, first.what)) return false;
        account(first, kind, from.inward().configuration().path);
        client_->take_packet(kind, from.pop(vc).what);
        return true;
    }
    const unsigned out = output_for(first.what.target, port, vc);
    if (!links_[out / channels()].port->can_send(out % channels())) {
        wait_for(port, vc, out);
        return false;
    }
    account(first, kind, from.inward().configuration().path);
    first.what.payload->passed(name_.c_str(), first.arrived);
    send(out, from.pop(vc).what);
    return true;
}

void router::wait_for(unsigned port, unsigned vc, unsigned output) {
    inputs_[index(port, vc)] = {output, links_[port].port->front(vc).arrived};
}

void router::pass_all_but(unsigned port, unsigned vc, unsigned output) {
    const link::link_port& from = *links_[port].port;
    do {
        if (!from.has(vc)) return;
        const unsigned target = from.front(vc).what.target;
        if (target != number_ && output_for(target, port, vc) == output) return wait_for(port, vc, output);
    } while (pass(port, vc));
}

void router::packet_arrived(unsigned port, unsigned vc) {
    if (inputs_[index(port, vc)].waits_for != nowhere) return;  // the packet in front of it has to wait
    while (pass(port, vc)) {}
}

void router::link_ready(unsigned port, unsigned vc) {
    const unsigned out = index(port, vc);
    const auto client = static_cast<unsigned>(inputs_.size());
    unsigned& turn = turn_[out];
    for (unsigned idle = 0; idle <= client;) {  // consecutive inputs without a packet for this output
        const unsigned i = turn;
        if (i == client ? !client_waits_[out] : inputs_[i].waits_for != out) {
            turn = i == client ? 0 : i + 1;
            ++idle;
            continue;
        }
        if (!links_[port].port->can_send(vc)) return;  // this input has the next turn
        turn = i == client ? 0 : i + 1;
        idle = 0;
        if (i == client) {
            client_waits_[out] = false;
            client_->may_inject(class_of(vc));
        } else {
            inputs_[i].waits_for = nowhere;
            pass(i / channels(), i % channels());
            pass_all_but(i / channels(), i % channels(), out);
        }
    }
}

void router::offer_again(packet_class kind) {
    for (unsigned port = 0; port < links_.size(); ++port)
        for (unsigned level = 0; level < levels_; ++level) {
            const unsigned vc = static_cast<unsigned>(kind) * levels_ + level;
            if (inputs_[index(port, vc)].waits_for == nowhere)
                while (pass(port, vc)) {}
        }
}

void router::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const input& in : inputs_)
        if (in.waits_for != nowhere)
            edges.push_back({name_, fmt::format("room in the queue of channel {}", in.waits_for % channels()),
                             channel_name(in.waits_for / channels()), in.since});
    for (unsigned out = 0; out < client_waits_.size(); ++out)
        if (client_waits_[out])
            edges.push_back({name_, fmt::format("room in the queue of channel {}", out % channels()),
                             channel_name(out / channels()), links_[out / channels()].last_sent});
    for (unsigned port = 0; port < links_.size(); ++port)
        if (links_[port].port->outward().held() > 0)
            edges.push_back({name_, "packets to arrive", channel_name(port), links_[port].last_sent});
}

void router::reset() {
    inputs_.assign(inputs_.size(), {});
    turn_.assign(turn_.size(), 0);
    client_waits_.assign(client_waits_.size(), false);
}

}  // namespace contraflow::net
