// SPDX-License-Identifier: Apache-2.0
// The ends that tests attach to a link: they send from a backlog without limits and check what they receive.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/simulation.h"
#include "link/cases/lane_harness.h"
#include "link/reversible_link.h"
#include "support/token.h"

namespace contraflow::link::testing {

inline constexpr core::sim_time cycle = core::sim_time::from_ns(1);

// Numbers its packets on each channel.
class peer final : public link_end_if {
public:
    peer(core::scheduler& events, reversible_link& l, side s, std::string name) : events_(events), port_(l.port(s)) {
        port_.attach(*this, static_cast<unsigned>(s), std::move(name));
    }

    void queue(unsigned vc, std::uint32_t payload, bool tag = false) {
        packet p;
        p.payload = &tokens_.emplace_back(++numbered_[vc]);
        p.bytes = payload;
        p.tag = tag;
        p.vc = static_cast<std::uint8_t>(vc);
        p.source = static_cast<std::uint16_t>(payload % 1000);
        backlog_[vc].push_back(p);
        push(vc);
    }
    // Takes arrivals in order, and nothing while it holds back.
    void hold_back(bool on) {
        holding_ = on;
        for (unsigned vc = 0; vc < most_vcs; ++vc) take(vc);
    }
    void hold_back(unsigned vc, bool on) {
        held_vc_[vc] = on;
        take(vc);
    }
    // Takes a packet only after this delay.
    void set_think_time(core::sim_time t) { think_ = t; }

    std::uint64_t sent(unsigned vc) const { return numbered_[vc]; }
    std::uint64_t received(unsigned vc) const { return received_[vc]; }
    std::uint64_t received() const { return received_[0] + received_[1] + received_[2] + received_[3]; }
    std::uint64_t received_bytes() const { return received_bytes_; }
    std::uint64_t backlog() const {
        return backlog_[0].size() + backlog_[1].size() + backlog_[2].size() + backlog_[3].size();
    }
    std::uint64_t dropped() const { return dropped_; }
    const std::vector<std::string>& wrong() const { return wrong_; }
    const delivery& last() const { return last_; }
    // All that it takes from then on.
    void keep(std::vector<delivery>& here) { kept_ = &here; }
    void clear_backlog() {
        for (auto& b : backlog_) b.clear();
    }

private:
    void push(unsigned vc) {
        while (!backlog_[vc].empty() && port_.can_send(vc)) {
            const packet p = backlog_[vc].front();
            backlog_[vc].pop_front();
            port_.send(p);
        }
    }
    void take(unsigned vc) {
        while (!holding_ && !held_vc_[vc] && port_.inward().configuration().vcs > vc && port_.has(vc)) {
            last_ = port_.pop(vc);
            const auto number = last_.what.payload_as<contraflow::testing::token>().number;
            if (number != ++received_[vc]) wrong_.push_back("out of order");
            if (last_.what.vc != vc) wrong_.push_back("another channel's");
            if (last_.what.source != last_.what.bytes % 1000) wrong_.push_back("not as it was sent");
            if (last_.started < last_.sent || last_.arrived < last_.started || events_.now() < last_.arrived)
                wrong_.push_back("before its time");
            received_bytes_ += last_.what.bytes;
            if (kept_ != nullptr) kept_->push_back(last_);
        }
    }
    void packet_arrived(unsigned, unsigned vc) override {
        if (think_.ps == 0) return take(vc);
        events_.after(
            think_, [](void* self, std::uint64_t v) { static_cast<peer*>(self)->take(static_cast<unsigned>(v)); }, this,
            vc);
    }
    void link_ready(unsigned, unsigned vc) override { push(vc); }
    void packet_dropped(unsigned, const packet&) override { ++dropped_; }

    core::scheduler& events_;
    link_port& port_;
    std::array<std::deque<packet>, most_vcs> backlog_;
    std::deque<contraflow::testing::token> tokens_;
    std::array<std::uint64_t, most_vcs> numbered_{};
    std::array<std::uint64_t, most_vcs> received_{};
    std::array<bool, most_vcs> held_vc_{};
    bool holding_ = false;
    core::sim_time think_{};
    std::uint64_t received_bytes_ = 0, dropped_ = 0;
    delivery last_;
    std::vector<delivery>* kept_ = nullptr;
    std::vector<std::string> wrong_;
};

// A simulation with one link and an end on each side.
struct bench {
    explicit bench(const link_spec& s, std::unique_ptr<lane_set_if> lanes = nullptr)
        : link("link", {sim.events(), statistics, cycle, core::sim_time::from_us(5)}, s, std::move(lanes)),
          a(sim.events(), link, side::a, "gpu[0]"),
          b(sim.events(), link, side::b, "gpu[1]") {}

    observe::conservation checks() {
        link.settle();
        observe::conservation all;
        link.check(all);
        return all;
    }
    std::string broken() {
        std::string text;
        const observe::conservation all = checks();
        for (const auto& c : all.checks())
            if (!c.held()) text += c.name + ": " + std::to_string(c.in) + " " + std::to_string(c.out) + "\n";
        for (const peer* p : {&a, &b})
            for (const auto& w : p->wrong()) text += w + "\n";
        return text;
    }

    core::simulation sim;
    observe::statistics statistics;
    reversible_link link;
    peer a, b;
};

// Room for everything in flight: only the lanes limit.
inline link_spec wide(const lane_spec& lanes) {
    link_spec s;
    s.lanes = lanes;
    s.header = {0};
    s.queue = 64;
    s.receive_buffer = {1u << 16};
    s.propagation = {};
    return s;
}

// Keeps the windows that a link closes.
struct window_log final : link_observer_if {
    void lanes_changed(const reversible_link&, core::sim_time) override {}
    void queues_changed(const reversible_link&, direction, core::sim_time) override {}
    void window_closed(const reversible_link&, const lane_window& w, core::sim_time) override { windows.push_back(w); }
    std::vector<lane_window> windows;
};

// Lets a trace arrive at a link: the phits of each cycle, gathered into packets of a given number; the rest at the end.
class trace_feed {
public:
    trace_feed(bench& to, const std::vector<trace_row>& trace, std::uint64_t phits_a_packet)
        : to_(to),
          trace_(trace),
          size_(phits_a_packet) {
        next();
    }

private:
    void next() {
        while (row_ < trace_.size()) {
            const trace_row& r = trace_[row_];
            if (r.launch) {
                if (to_.sim.events().now().ps == 0) to_.link.kernel_launched();
                ++row_;
            } else if (played_ == r.cycles) {
                played_ = 0;
                ++row_;
            } else {
                const bool idle = r.arrivals.ab + r.arrivals.ba == 0;
                const std::uint64_t n = idle ? r.cycles - played_ : 1;
                played_ += n;
                if (!idle) arrive(r.arrivals);
                // Just before the edge: other events of the edge must come after the launch.
                if (played_ == r.cycles && launch_follows())
                    to_.sim.events().after<&trace_feed::launch>(cycle * n - core::sim_time{1}, this);
                to_.sim.events().after<&trace_feed::next>(cycle * n, this);
                return;
            }
        }
        for (const auto d : both_directions)
            if (rest_[d] > 0) packet_of(d, rest_[d]);
        rest_ = {};
    }
    bool launch_follows() const {
        std::size_t i = row_ + 1;
        while (i < trace_.size() && !trace_[i].launch && trace_[i].cycles == 0) ++i;
        return i < trace_.size() && trace_[i].launch;
    }
    void launch() { to_.link.kernel_launched(); }
    void arrive(const by_direction<std::uint64_t>& phits) {
        for (const auto d : both_directions)
            for (rest_[d] += phits[d]; rest_[d] >= size_; rest_[d] -= size_) packet_of(d, size_);
    }
    void packet_of(direction d, std::uint64_t phits) {
        (d == direction::ab ? to_.a : to_.b).queue(0, static_cast<std::uint32_t>(phits * 8));
    }

    bench& to_;
    const std::vector<trace_row>& trace_;
    const std::uint64_t size_;
    std::size_t row_ = 0;
    std::uint64_t played_ = 0;
    by_direction<std::uint64_t> rest_;
};

}  // namespace contraflow::link::testing
