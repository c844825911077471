// SPDX-License-Identifier: Apache-2.0
// A link between two ends whose lanes can turn: a channel for each direction, and a set of shared lanes that decides
// how many serve each. Windows and turns happen at edges of its clock, with one callback for the next event. An idle
// link schedules nothing once its lanes are settled, and counts quiet windows when traffic resumes. A link with fixed
// lanes has the policy `static`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "link/lanes/policies.h"
#include "link/link_channel.h"
#include "link/link_energy.h"
#include "link/link_observer_if.h"
#include "link/link_statistics.h"
#include "observe/conservation.h"

namespace contraflow::link {

enum class side : std::uint8_t { a, b };

// One end of a link, for the component attached there.
class link_port {
public:
    link_port(link_channel& out, link_channel& in, link_channel::end& self) : out_(out), in_(in), self_(self) {}
    // Call before any traffic. The name is the owner's in reports of waits.
    void attach(link_end_if& owner, unsigned port, std::string name) { self_ = {&owner, port, std::move(name)}; }

    // Whether send() would be accepted; if not, link_ready() follows.
    bool can_send(unsigned vc) { return out_.can_send(vc); }
    void send(const packet& p) { out_.send(p); }
    bool has(unsigned vc) const { return in_.has(vc); }
    const delivery& front(unsigned vc) const { return in_.front(vc); }
    // Frees the packet's space in the receive buffer.
    delivery pop(unsigned vc) { return in_.pop(vc); }
    const link_channel& outward() const { return out_; }
    const link_channel& inward() const { return in_; }

private:
    link_channel& out_;
    link_channel& in_;
    link_channel::end& self_;
};

class reversible_link final : public core::waiter_if, public core::controllable_if {
public:
    // Shared by links, in addition to their own specification.
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        core::sim_time cycle;          // the clock's period
        core::sim_time series_window;  // window of the statistics over time
        lane_set_factory lanes{};
    };
    // Without a set of lanes, the factory makes one. A specification with a problem is an error in the program.
    reversible_link(std::string name, const resources& shared, const link_spec& s,
                    std::unique_ptr<lane_set_if> lanes = nullptr);
    ~reversible_link() override;
    reversible_link(const reversible_link&) = delete;
    reversible_link& operator=(const reversible_link&) = delete;

    link_port& port(side s) { return s == side::a ? port_a_ : port_b_; }
    // The lanes return to symmetric at the next edge of the clock, or now if this is an edge.
    void kernel_launched();
    // At the next edge or now, a lane that serves this direction fails for good, or else one that turns to it. Its
    // packet is sent again after the time of a turn, on the other lanes.
    void fail_lane(direction d);
    // Updates statistics to this moment; call it before they are read.
    void settle();

    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Call after settle().
    void check(observe::conservation& checks) const;
    void set_observer(link_observer_if* observer);

    const std::string& name() const { return name_; }
    const link_spec& configuration() const { return spec_; }
    const lane_state& lanes() const { return lanes_->state(); }
    // Ends the run, so that the lanes' owner can check the rest of it. Call after settle().
    void finish();
    const link_channel& channel(direction d) const { return d == direction::ab ? ab_.channel : ba_.channel; }
    const channel_statistics& statistics(direction d) const { return d == direction::ab ? ab_.stats : ba_.stats; }
    const link_statistics& statistics() const { return statistics_; }
    // Packets given and not yet taken, and packets taken.
    std::uint64_t outstanding() const { return ab_.channel.held() + ba_.channel.held(); }
    std::uint64_t moved() const { return ab_.channel.taken() + ba_.channel.taken(); }
    // Since the start, up to the last settle().
    link_energy energy() const;

private:
    // One direction, with the link's own records about it.
    struct unidirectional_link {
        unidirectional_link(reversible_link& l, direction d, const resources& shared, const link_channel::end& from,
                            const link_channel::end& to);
        channel_statistics stats;
        link_channel channel;
        unsigned failures = 0;  // to happen at the next edge
    };

    // Calls of the channels.
    void traffic_began() {
        if (!ticking_) begin_ticking();
    }
    void queues_changed(std::uint64_t d) { observer_->queues_changed(*this, static_cast<direction>(d), events_.now()); }
    unidirectional_link& to(direction d) { return d == direction::ab ? ab_ : ba_; }
    std::uint64_t cycle_before(core::sim_time t) const { return t.ps / cycle_.ps; }
    std::uint64_t cycle_from(core::sim_time t) const { return (t.ps + cycle_.ps - 1) / cycle_.ps; }
    void begin_ticking();
    void arm();
    void edge();
    void close_window();
    void launch(std::uint64_t cycle);
    void fail_lanes(std::uint64_t cycle);
    void settle_channels();
    void account_lanes();
    void show_lanes();
    void count_lanes();
    void reset();

    const std::string name_;
    core::scheduler& events_;
    const link_spec spec_;
    const core::sim_time cycle_;
    const std::unique_ptr<lane_set_if> lanes_;
    link_statistics statistics_;
    link_channel::end end_a_, end_b_;
    unidirectional_link ab_, ba_;
    link_port port_a_, port_b_;
    link_observer_if* observer_ = nullptr;

    bool ticking_ = false;  // the window has had traffic, so its end needs a callback
    std::uint64_t launch_at_ = lane_state::never;
    std::uint64_t failure_at_ = lane_state::never;
    core::timer<&reversible_link::edge> edge_;
    struct {
        std::uint64_t turns = 0, refused = 0, quiet_windows = 0;
    } seen_;  // the lanes' counts already in the statistics
    core::sim_time settled_{};
    std::uint64_t on_time_ = 0;  // lane-ps of all working lanes, up to settled_
    unsigned working_ = 0;       // working lanes since settled_
};

}  // namespace contraflow::link
