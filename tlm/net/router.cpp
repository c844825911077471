// SPDX-License-Identifier: Apache-2.0
#include "net/router.h"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::net {
namespace {

// The first one after `last` in the ring of 64, if any.
unsigned next_in_turn(std::uint64_t wanting, unsigned last) {
    const std::uint64_t after = last + 1 < 64 ? wanting >> (last + 1) << (last + 1) : 0;
    return static_cast<unsigned>(std::countr_zero(after != 0 ? after : wanting));
}

}  // namespace

router::router(core::scheduler& events, std::string name, unsigned number, const std::vector<node_end_if*>& ends)
    : events_(events),
      name_(std::move(name)),
      number_(number),
      ends_(ends) {}

void router::add_link(link::link_port& port, bool cut) {
    if (links_.size() == (64 - traffic_classes) / most_vcs)
        throw std::logic_error(fmt::format("{}: too many links", name_));
    port.attach(*this, static_cast<unsigned>(links_.size()), name_);
    links_.push_back({&port, cut, {}, {}});
}

void router::set_route(unsigned target, unsigned link) {
    if (routes_.size() <= target) routes_.resize(target + 1);
    routes_[target] = static_cast<std::uint8_t>(link);
}

bool router::can_send(unsigned target, traffic_class c) {
    const unsigned out = routes_[target];
    const unsigned vc = out_vc(out, c, false);
    attached& to = links_[out];
    const input_mask self = input_mask{1} << own_input(c);
    const bool in_turn = turn_.given && turn_.out == out && turn_.vc == vc;
    // Who waits already goes first.
    if ((in_turn || (to.waiting[vc] & ~self) == 0) && to.port->can_send(vc)) {
        to.waiting[vc] &= ~self;
        return true;
    }
    to.waiting[vc] |= self;
    return false;
}

void router::send(link::packet p, traffic_class c) {
    const unsigned out = routes_[p.target];
    p.vc = static_cast<std::uint8_t>(out_vc(out, c, false));
    p.source = static_cast<std::uint16_t>(number_);
    turn_.given = false;
    ++sent_;
    links_[out].port->send(p);
}

link::packet router::take(traffic_class c) {
    const unsigned chosen = next_in_turn(here_[index(c)], here_turn_[index(c)]);
    here_turn_[index(c)] = chosen;
    here_[index(c)] &= ~(input_mask{1} << chosen);
    const unsigned link = chosen / most_vcs;
    const unsigned vc = chosen % most_vcs;
    const link::delivery d = links_[link].port->pop(vc);
    link::packet p = d.what;
    p.add_hop(d, events_.now());
    ++taken_;
    advance(link, vc, false);
    return p;
}

void router::advance(unsigned link, unsigned vc, bool tell) {
    while (links_[link].port->has(vc)) {
        const link::packet& head = links_[link].port->front(vc).what;
        if (head.target == number_) {
            auto& here = here_[index(class_of(vc))];
            const bool first = here == 0;
            here |= input_mask{1} << input(link, vc);
            if (first && tell && end() != nullptr) end()->packet_arrived(class_of(vc));
            return;
        }
        const unsigned out = routes_[head.target];
        const unsigned to_vc = out_vc(out, class_of(vc), past_cut(vc));
        attached& to = links_[out];
        if (to.waiting[to_vc] != 0 || !to.port->can_send(to_vc)) {
            to.waiting[to_vc] |= input_mask{1} << input(link, vc);
            return;
        }
        pass(link, vc, out, to_vc);
    }
}

void router::pass(unsigned link, unsigned vc, unsigned out, unsigned to_vc) {
    const link::delivery d = links_[link].port->pop(vc);
    link::packet p = d.what;
    p.add_hop(d, events_.now());
    p.vc = static_cast<std::uint8_t>(to_vc);
    ++passed_;
    links_[out].port->send(p);
}

void router::link_ready(unsigned out, unsigned to_vc) {
    attached& to = links_[out];
    while (to.waiting[to_vc] != 0 && to.port->can_send(to_vc)) {
        const unsigned chosen = next_in_turn(to.waiting[to_vc], to.turn[to_vc]);
        to.turn[to_vc] = chosen;
        to.waiting[to_vc] &= ~(input_mask{1} << chosen);
        serve(chosen, out, to_vc);
    }
}

void router::serve(unsigned chosen, unsigned out, unsigned to_vc) {
    if (chosen >= links_.size() * most_vcs) {
        const auto c = static_cast<traffic_class>(chosen - links_.size() * most_vcs);
        turn_ = {true, out, to_vc};
        end()->network_ready(c);
        turn_.given = false;
        return;
    }
    const unsigned link = chosen / most_vcs;
    const unsigned vc = chosen % most_vcs;
    pass(link, vc, out, to_vc);
    advance(link, vc);
}

void router::packet_dropped(unsigned, const link::packet& p) {
    if (ends_[p.source] != nullptr) ends_[p.source]->packet_dropped(p);
}

void router::reset() {
    for (auto& l : links_) {
        l.waiting = {};
        l.turn = {};
    }
    here_ = {};
    here_turn_ = {};
    turn_ = {};
    sent_ = taken_ = passed_ = 0;
}

void router::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& to : links_)
        for (unsigned vc = 0; vc < most_vcs; ++vc)
            for (input_mask left = to.waiting[vc]; left != 0; left &= left - 1) {
                const auto waiting = static_cast<unsigned>(std::countr_zero(left));
                if (waiting >= links_.size() * most_vcs) continue;  // its own sender says so itself
                const auto& head = links_[waiting / most_vcs].port->front(waiting % most_vcs);
                edges.push_back({name_, fmt::format("a place in the queue of {}, virtual channel {}",
                                                    to.port->outward().configuration().path, vc),
                                 to.port->outward().configuration().path, head.arrived});
            }
}

}  // namespace contraflow::net
