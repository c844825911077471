// SPDX-License-Identifier: Apache-2.0
#include "observe/watchdog.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "observe/wait_chain.h"

namespace contraflow::observe {
namespace {

// Callbacks between two questions to keep_going: well below a millisecond of work.
constexpr std::uint64_t heartbeat_interval = 4096;

struct stop_check {
    core::simulation& simulation;
    const std::function<bool()>& keep_going;
    bool stopped = false;

    void ask() {
        if (stopped || keep_going()) return;
        stopped = true;
        simulation.stop();
    }
};

// Takes the scheduler's heartbeat for a scope.
class heartbeat_guard {
public:
    heartbeat_guard(core::scheduler& events, stop_check& check) : events_(events) {
        events_.set_heartbeat([](void* c, std::uint64_t) { static_cast<stop_check*>(c)->ask(); }, &check,
                              heartbeat_interval);
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
    : simulation_(simulation), stall_time_(stall_time) {
    if (stall_time.ps == 0) throw std::logic_error("watchdog: a stall time of 0");
}

watchdog::verdict watchdog::run(core::sim_time limit, std::function<bool()> keep_going) {
    if (!keep_going) return run_slices(limit, [] { return true; });
    stop_check check{simulation_, keep_going};
    const heartbeat_guard guard(simulation_.events(), check);
    return run_slices(limit, [&check] {
        check.ask();
        return !check.stopped;
    });
}

watchdog::verdict watchdog::run_slices(core::sim_time limit, const std::function<bool()>& keep_going) {
    core::sim_time moved_at = simulation_.events().now();
    std::uint64_t moved_before = moved();
    for (;;) {
        if (!keep_going()) return verdict::stopped;
        if (simulation_.events().now() >= limit) return verdict::time_limit;
        simulation_.run_until(next_stop(limit));
        if (!keep_going()) return verdict::stopped;
        const std::uint64_t open = outstanding();
        if (!sc_core::sc_pending_activity()) return open > 0 ? verdict::ran_dry : verdict::finished;
        const core::sim_time now = simulation_.events().now();
        const std::uint64_t moved_now = moved();
        if (moved_now != moved_before || open == 0) {
            moved_before = moved_now;
            moved_at = now;
        } else if (now - moved_at >= stall_time_) {
            return verdict::stalled;
        }
    }
}

core::sim_time watchdog::next_stop(core::sim_time limit) const {
    const core::sim_time now = simulation_.events().now();
    core::sim_time stop = later(now, {std::max<std::uint64_t>(stall_time_.ps / 4, 1)});
    // An idle stretch is crossed in one go.
    if (outstanding() == 0) stop = std::max(stop, later(now, {sc_core::sc_time_to_pending_activity().value()}));
    return std::min(stop, limit);
}

std::vector<std::string> watchdog::wait_chain() const {
    std::vector<core::wait_edge> edges;
    for (const auto* w : waiters_) w->report_waits(edges);
    const auto chain = longest_chain(edges);
    auto lines = chain.lines();
    if (chain.cycle_begin) return lines;
    // The longest wait may end at someone who reports nothing while others wait in a circle.
    for (auto& line : any_cycle(edges).lines()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace contraflow::observe
