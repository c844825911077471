// SPDX-License-Identifier: Apache-2.0
// Control of a channel, and what it can tell of itself; its traffic is in link_channel.cpp.
#include <fmt/format.h>

#include "link/link_channel.h"

namespace contraflow::link {

void link_channel::set_sending(bool on) {
    if (sending_ == on) return;
    sending_ = on;
    if (on && !transmitting() && !departure_armed_) start_next();
}

void link_channel::set_accepting(bool on) {
    if (accepting_ == on) return;
    accepting_ = on;
    for (unsigned vc = 0; on && vc < spec_.vcs; ++vc) tell_refused(vc);
}

void link_channel::reset() {
    settle();
    on_wire_ = starved_ = departure_armed_ = arrival_armed_ = credit_armed_ = false;
    surplus_ = 0;
    silent_until_ = {};
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
        v.credits = spec_.buffer;
        v.returning.clear();
        while (!v.buffer.empty()) drop(v.buffer.pop().what.what);
        while (!v.queue.empty()) drop(v.queue.pop().what);
    }
}

std::uint64_t link_channel::all_credits(unsigned vc) const {
    const virtual_channel& v = vcs_[vc];
    std::uint64_t all = v.credits;
    for (std::size_t i = 0; i < v.returning.size(); ++i) all += v.returning[i].phits;
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
        else if (!v.queue.empty() && v.credits < v.queue.front().phits)
            edges.push_back({name, fmt::format("{} phits of receive buffer", v.queue.front().phits), receiver_.name,
                             v.queue.front().sent});
    }
}

}  // namespace contraflow::link
