// SPDX-License-Identifier: Apache-2.0
#include "observe/watchdog.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "observe/wait_chain.h"

namespace contraflow::observe {
namespace {

// The number of callbacks between two heartbeats: well below a millisecond of work.
constexpr std::uint64_t heartbeat_interval = 4096;
// After this number of heartbeats at one instant without movement, a loop counts as endless: 16 million callbacks, 1 s.
constexpr std::uint64_t endless_beats = 4096;

// Takes the scheduler's heartbeat while in scope.
class heartbeat_guard {
public:
    heartbeat_guard(core::scheduler& events, core::scheduler::action what, void* object) : events_(events) {
        events_.set_heartbeat(what, object, heartbeat_interval);
    }
    ~heartbeat_guard() {
        constexpr auto practically_never = std::numeric_limits<std::uint64_t>::max() / 2;
        events_.set_heartbeat([](void*, std::uint64_t) {}, nullptr, practically_never);
    }
    heartbeat_guard(const heartbeat_guard&) = delete;
    heartbeat_guard& operator=(const heartbeat_guard&) = delete;

private:
    core::scheduler& events_;
};

core::sim_time later(core::sim_time from, core::sim_time span) {
    return span > core::sim_time::never() - from ? core::sim_time::never() : from + span;
}

}  // namespace

watchdog::watchdog(core::simulation& simulation, core::sim_time stall_time)
    : simulation_(simulation),
      stall_time_(stall_time) {
    if (stall_time.ps == 0) throw std::logic_error("watchdog: a stall time of 0");
}

void watchdog::pulse::beat() {
    ask();
    const core::sim_time current = dog.simulation_.events().now();
    const std::uint64_t current_moved = dog.moved();
    if (current != now || current_moved != moved || dog.outstanding() == 0) {
        now = current;
        moved = current_moved;
        beats = 0;
    } else if (++beats == endless_beats) {
        spinning = true;
        leave();
    }
}

void watchdog::pulse::ask() {
    if (stopped || !keep_going || keep_going()) return;
    stopped = true;
    leave();
}

void watchdog::pulse::leave() {
    dog.simulation_.events().leave_instant();
    dog.simulation_.stop();
}

watchdog::verdict watchdog::run(core::sim_time limit, std::function<bool()> keep_going) {
    hang_.clear();
    pulse p{*this, keep_going};
    const heartbeat_guard guard(
        simulation_.events(), [](void* object, std::uint64_t) { static_cast<pulse*>(object)->beat(); }, &p);
    return run_slices(limit, p);
}

watchdog::verdict watchdog::run_slices(core::sim_time limit, pulse& p) {
    core::sim_time moved_at = simulation_.events().now();
    std::uint64_t moved_before = moved();
    for (;;) {
        if (p.keep_going && !p.keep_going()) return verdict::stopped;
        const bool idle = outstanding() == 0;
        if (!run_slice(limit)) return verdict::time_limit;
        if (p.stopped) return verdict::stopped;
        if (p.spinning) {
            hang_ = fmt::format("time does not pass {}: events follow one another there without end",
                                core::rounded_text(simulation_.events().now()));
            return verdict::stalled;
        }
        const std::uint64_t open = outstanding();
        const core::sim_time now = simulation_.events().now();
        if (!sc_core::sc_pending_activity()) {
            if (open == 0) return verdict::finished;
            hang_ = fmt::format("nothing more happens after {}, with work left", core::rounded_text(now));
            return verdict::ran_dry;
        }
        const std::uint64_t moved_now = moved();
        if (idle || open == 0 || moved_now != moved_before) {
            moved_before = moved_now;
            moved_at = now;
        } else if (now - moved_at >= stall_time_) {
            hang_ = fmt::format("nothing has moved from {} to {}, with work left", core::rounded_text(moved_at),
                                core::rounded_text(now));
            return verdict::stalled;
        }
    }
}

bool watchdog::run_slice(core::sim_time limit) {
    const core::sim_time now = simulation_.events().now();
    if (now >= limit) return false;
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) {
        simulation_.begin();
        return true;
    }
    if (!sc_core::sc_pending_activity()) return true;
    // The kernel's clock doesn't advance through a slice without events, so the slice reaches to the next one.
    const core::sim_time next = simulation_.next_activity();
    const core::sim_time stop = std::max(next, later(now, {std::max<std::uint64_t>(stall_time_.ps / 4, 1)}));
    if (next > limit)
        simulation_.run_to(limit);
    else
        simulation_.run_until(std::min(stop, limit));
    return true;
}

std::vector<std::string> watchdog::wait_chain() const {
    std::vector<core::wait_edge> edges;
    for (const auto* w : waiters_) w->report_waits(edges);
    const auto chain = longest_chain(edges);
    auto lines = chain.lines();
    if (chain.cycle_begin) return lines;
    // The longest wait may end at a component that reports nothing while others wait in a cycle.
    for (auto& line : any_cycle(edges).lines()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace contraflow::observe
