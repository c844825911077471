// SPDX-License-Identifier: Apache-2.0
#include "link/reversible_link.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "link/lanes/saturation.h"

namespace contraflow::link {
namespace {

const link_spec& checked(const std::string& name, const link_spec& s, core::sim_time cycle) {
    if (const auto found = problems_of(s, cycle); !found.empty())
        throw std::logic_error(fmt::format("{}: {}", name, config::first_text(found)));
    return s;
}

link_channel::spec channel_spec(const std::string& link, direction d, const link_spec& s, core::sim_time cycle) {
    const std::uint32_t phit = phit_bytes(s, cycle);
    return {fmt::format("{}.{}", link, name(d)),
            s.vcs,
            s.queue,
            static_cast<std::uint32_t>(s.receive_buffer.count / phit),
            static_cast<std::uint32_t>(s.header.count),
            s.ack_coalescing,
            phit,
            cycle,
            s.propagation + s.pipeline};
}

// Adds rate x time to each window that the span touches.
void add_span(observe::series& to, core::sim_time from, core::sim_time until, double rate) {
    while (from < until) {
        const core::sim_time window = to.window();
        const core::sim_time end = std::min(until, window * (from.ps / window.ps + 1));
        to.add(from, rate * static_cast<double>((end - from).ps));
        from = end;
    }
}

}  // namespace

reversible_link::unidirectional_link::unidirectional_link(reversible_link& l, direction d, const resources& shared,
                                                          const link_channel::end& from, const link_channel::end& to)
    : stats(shared.statistics, fmt::format("{}.{}", l.name_, link::name(d)), shared.series_window),
      channel(shared.events, channel_spec(l.name_, d, l.spec_, l.cycle_), stats, *l.lanes_, d,
              {core::callback::to<&reversible_link::traffic_began>(l),
               core::callback::to<&reversible_link::queues_changed>(l, static_cast<std::uint64_t>(d))},
              from, to) {}

reversible_link::reversible_link(std::string name, const resources& shared, const link_spec& s,
                                 std::unique_ptr<lane_set_if> lanes)
    : name_(std::move(name)),
      events_(shared.events),
      spec_(checked(name_, s, shared.cycle)),
      cycle_(shared.cycle),
      lanes_(lanes          ? std::move(lanes)
             : shared.lanes ? shared.lanes(name_, s.lanes, cycle_.ps)
                            : make_lane_bank(s.lanes, cycle_.ps)),
      statistics_(shared.statistics, name_),
      ab_(*this, direction::ab, shared, end_a_, end_b_),
      ba_(*this, direction::ba, shared, end_b_, end_a_),
      port_a_(ab_.channel, ba_.channel, end_a_),
      port_b_(ba_.channel, ab_.channel, end_b_),
      edge_(events_, *this),
      settled_(events_.now()),
      working_(2 * s.lanes.lanes_per_direction) {
    show_lanes();
}

reversible_link::~reversible_link() = default;

// --- edges of the clock

void reversible_link::begin_ticking() {
    // Counts the windows that passed; a change that is due now has its own callback.
    if (const std::uint64_t c = std::min(cycle_before(events_.now()), lanes().next_change - 1); c >= lanes().window_end)
        lanes_->advance(c);
    ticking_ = true;
    arm();
}

void reversible_link::arm() {
    const std::uint64_t next =
        std::min({ticking_ ? lanes().window_end : lane_state::never, lanes().next_change, launch_at_, failure_at_});
    if (next != lane_state::never) edge_.arm_by(cycle_ * next);
}

void reversible_link::edge() {
    const std::uint64_t cycle = cycle_before(events_.now());
    settle_channels();
    if (ticking_ && lanes().window_end <= cycle) close_window();
    if (launch_at_ <= cycle) launch(cycle);
    lanes_->advance(cycle);
    if (failure_at_ <= cycle) fail_lanes(cycle);
    show_lanes();
    arm();
}

void reversible_link::close_window() {
    by_direction<bool> saturated;
    const lane_window w = lanes_->close_window();
    const saturation threshold(spec_.lanes.saturation);
    for (const auto d : both_directions) saturated[d] = threshold.of(w.busy[d], w.capacity[d]);
    if (saturated.ab && saturated.ba)
        ++statistics_.saturated_both;
    else if (saturated.ab || saturated.ba)
        ++statistics_.saturated_one;
    else
        ++statistics_.saturated_none;
    ticking_ = ab_.channel.busy() || ba_.channel.busy();
    if (observer_ != nullptr) observer_->window_closed(*this, w, events_.now());
}

void reversible_link::launch(std::uint64_t cycle) {
    launch_at_ = lane_state::never;
    ++statistics_.launches;
    lanes_->launch(cycle);
}

void reversible_link::fail_lanes(std::uint64_t cycle) {
    failure_at_ = lane_state::never;
    account_lanes();
    for (const auto d : both_directions) {
        const unsigned serving = lanes().lanes[d];
        for (unsigned n = std::exchange(to(d).failures, 0); n > 0 && lanes_->fail_lane(d, cycle); --n) {
            --working_;
            ++statistics_.failed_lanes;
        }
        if (lanes().lanes[d] < serving)
            to(d).channel.interrupt(cycle_ * (cycle + spec_.lanes.drain.count + spec_.lanes.switch_time.count));
    }
}

// --- what is kept of lanes and windows

void reversible_link::settle_channels() {
    for (unidirectional_link* l : {&ab_, &ba_}) l->channel.settle();
}

// Accounts for the time up to now with the lanes that the channels had.
void reversible_link::account_lanes() {
    const core::sim_time now = events_.now();
    for (unidirectional_link* l : {&ab_, &ba_}) {
        l->stats.available += l->channel.lanes() * (now - settled_).ps;
        add_span(l->stats.lane_series, settled_, now, l->channel.lanes());
    }
    on_time_ += working_ * (now - settled_).ps;
    settled_ = now;
}

// Gives the channels the lanes that serve them now.
void reversible_link::show_lanes() {
    count_lanes();
    bool changed = false;
    for (const auto d : both_directions) changed = changed || to(d).channel.lanes() != lanes().lanes[d];
    if (!changed) return;
    account_lanes();
    for (const auto d : both_directions) {
        to(d).stats.lanes.set(events_.now(), lanes().lanes[d]);
        to(d).channel.set_lanes(lanes().lanes[d]);
    }
    if (!ticking_ && (ab_.channel.busy() || ba_.channel.busy())) begin_ticking();
    if (observer_ != nullptr) observer_->lanes_changed(*this, events_.now());
}

void reversible_link::count_lanes() {
    statistics_.turns += lanes().turns - std::exchange(seen_.turns, lanes().turns);
    statistics_.refused += lanes().refused - std::exchange(seen_.refused, lanes().refused);
    statistics_.saturated_none += lanes().quiet_windows - std::exchange(seen_.quiet_windows, lanes().quiet_windows);
}

void reversible_link::settle() {
    settle_channels();
    if (const std::uint64_t c = cycle_before(events_.now()); !ticking_ && c < lanes().next_change) lanes_->advance(c);
    count_lanes();
    account_lanes();
}

void reversible_link::finish() { lanes_->finish(cycle_before(events_.now())); }

link_energy reversible_link::energy() const {
    const link_lanes all{2 * spec_.lanes.lanes_per_direction, spec_.lane_rate, spec_.lanes.policy != "static"};
    return energy_of(all, ab_.stats.wire.value() + ba_.stats.wire.value(), static_cast<double>(on_time_) * 1e-12);
}

// --- control

void reversible_link::kernel_launched() {
    launch_at_ = cycle_from(events_.now());
    arm();
}

void reversible_link::fail_lane(direction d) {
    ++to(d).failures;
    failure_at_ = cycle_from(events_.now());
    arm();
}

void reversible_link::set_observer(link_observer_if* observer) {
    observer_ = observer;
    for (unidirectional_link* l : {&ab_, &ba_}) l->channel.set_observed(observer != nullptr);
}

bool reversible_link::control(core::control_verb verb) {
    using core::control_verb;
    switch (verb) {
    case control_verb::pause:
        for (unidirectional_link* l : {&ab_, &ba_}) l->channel.set_sending(false);
        return true;
    case control_verb::drain:
        for (unidirectional_link* l : {&ab_, &ba_}) l->channel.set_accepting(false);
        return true;
    case control_verb::enable:
        for (unidirectional_link* l : {&ab_, &ba_}) l->channel.set_sending(true);
        for (unidirectional_link* l : {&ab_, &ba_}) l->channel.set_accepting(true);
        return true;
    case control_verb::reset: reset(); return true;
    case control_verb::invalidate:
    case control_verb::flush: break;
    }
    return false;
}

// The clock's cycles continue. The current window and pending failures are dropped.
void reversible_link::reset() {
    settle_channels();
    account_lanes();
    for (unidirectional_link* l : {&ab_, &ba_}) {
        l->channel.reset();
        l->channel.set_sending(true);
        l->channel.set_accepting(true);
    }
    edge_.cancel();
    ticking_ = false;
    launch_at_ = failure_at_ = lane_state::never;
    ab_.failures = ba_.failures = 0;
    lanes_->reset(cycle_from(events_.now()));
    show_lanes();
    arm();
}

void reversible_link::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const unidirectional_link* l : {&ab_, &ba_}) l->channel.report_waits(edges);
}

void reversible_link::check(observe::conservation& checks) const {
    for (const unidirectional_link* l : {&ab_, &ba_}) {
        const link_channel& c = l->channel;
        const std::string& path = c.configuration().path;
        checks.check(path + ": packets given, and taken, held or dropped", "packets", c.accepted(),
                     c.taken() + c.held() + c.dropped());
        for (unsigned vc = 0; vc < spec_.vcs; ++vc)
            checks.check(fmt::format("{}.vc[{}]: credits of the receive buffer", path, vc), "phits",
                         c.configuration().buffer, c.all_credits(vc));
        checks.check(path + ": lane-time busy beyond what there was", "lane*ps", 0,
                     l->stats.busy.value() - std::min(l->stats.busy.value(), l->stats.available.value()));
    }
    checks.check(name_ + ": lanes", "lanes", 2 * spec_.lanes.lanes_per_direction,
                 lanes().lanes.ab + lanes().lanes.ba + lanes().turning + lanes().failed);
}

}  // namespace contraflow::link
