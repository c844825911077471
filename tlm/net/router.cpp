// SPDX-License-Identifier: Apache-2.0
#include "net/router.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::net {

router::router(core::scheduler& events, std::string name, unsigned number, unsigned levels)
    : events_(events),
      name_(std::move(name)),
      number_(number),
      levels_(levels),
      port_(events, name_, {*this, *this, name_}) {}

unsigned router::add_link(link::link_port& port, unsigned dimension, bool dateline) {
    const auto number = static_cast<unsigned>(links_.size());
    port.attach(*this, number, name_);
    links_.push_back({&port, dimension, dateline, {}});
    inputs_.resize(links_.size() * channels());
    turn_.resize(inputs_.size());
    return number;
}

void router::set_routes(std::vector<unsigned> routes) {
    std::vector<std::string> queues;
    for (unsigned port = 0; port < links_.size(); ++port)
        queues.insert(queues.end(), packet_classes, channel_name(port));
    port_.set_routes(std::move(routes), std::move(queues));
}

unsigned router::output_by(unsigned port, packet_class kind, unsigned from_dimension, unsigned level) const {
    const attached& l = links_[port];
    return index(port, static_cast<unsigned>(kind) * levels_ +
                           wiring::next_level(l.dimension, l.dateline, from_dimension, level));
}

// ---- from here

std::optional<unsigned> router::injection_at(unsigned output) const {
    const unsigned number = network_port::number_of(class_of(output % channels()), output / channels());
    if (output_of(number) != output) return std::nullopt;
    return number;
}

bool router::can_take(unsigned number, const link::packet&) {
    const unsigned out = output_of(number);
    return links_[out / channels()].port->can_send(out % channels());
}

void router::take(unsigned number, link::packet p) { send(output_of(number), p); }

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
        network_port::channel& client = port_.arrivals(kind);
        if (!client.ready(first.what)) return false;
        account(first, kind, from.inward().configuration().path);
        client.push(from.pop(vc).what);
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
    const std::optional<unsigned> injection = injection_at(out);
    unsigned& turn = turn_[out];
    for (unsigned idle = 0; idle <= client;) {  // consecutive inputs without a packet for this output
        const unsigned i = turn;
        if (i == client ? !injection || !port_.client_waits(*injection) : inputs_[i].waits_for != out) {
            turn = i == client ? 0 : i + 1;
            ++idle;
            continue;
        }
        if (!links_[port].port->can_send(vc)) return;  // this input has the next turn
        turn = i == client ? 0 : i + 1;
        idle = 0;
        if (i == client) {
            port_.may_inject(*injection);
        } else {
            inputs_[i].waits_for = nowhere;
            pass(i / channels(), i % channels());
            pass_all_but(i / channels(), i % channels(), out);
        }
    }
}

void router::channel_ready(unsigned kind) {
    for (unsigned port = 0; port < links_.size(); ++port)
        for (unsigned level = 0; level < levels_; ++level) {
            const unsigned vc = kind * levels_ + level;
            if (inputs_[index(port, vc)].waits_for == nowhere)
                while (pass(port, vc)) {}
        }
}

void router::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const input& in : inputs_)
        if (in.waits_for != nowhere)
            edges.push_back({name_, fmt::format("room in the queue of channel {}", in.waits_for % channels()),
                             channel_name(in.waits_for / channels()), in.since});
    port_.report_waits(edges);
    for (unsigned out = 0; out < inputs_.size(); ++out)
        if (const auto injection = injection_at(out); injection && port_.client_waits(*injection))
            edges.push_back({name_, fmt::format("room in the queue of channel {}", out % channels()),
                             channel_name(out / channels()), links_[out / channels()].last_sent});
    for (unsigned port = 0; port < links_.size(); ++port)
        if (links_[port].port->outward().held() > 0)
            edges.push_back({name_, "packets to arrive", channel_name(port), links_[port].last_sent});
}

void router::reset() {
    inputs_.assign(inputs_.size(), {});
    turn_.assign(turn_.size(), 0);
    port_.reset();
}

}  // namespace contraflow::net
