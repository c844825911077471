// SPDX-License-Identifier: Apache-2.0
// Runs a simulation and stops it when nothing moves while work is outstanding, then reports the chain of waits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/simulation.h"
#include "core/waiting.h"

namespace contraflow::observe {

// The configuration key of the time without progress that counts as a hang: one rule and one default everywhere.
struct watchdog_key {
    static constexpr core::sim_time usual = core::sim_time::from_us(500), least = core::sim_time::from_us(1);

    // Fields is a config::fields, `time` the member that holds it.
    template <class Fields, class Member> static void describe(Fields& f, Member time) {
        f("watchdog", time).at_least(least).text("the run stops when nothing has moved for this long with work left");
    }
};

class watchdog {
public:
    enum class verdict {
        finished,    // nothing is scheduled and no work is outstanding
        stalled,     // work is outstanding and nothing has moved for the stall time
        ran_dry,     // work is outstanding and nothing is scheduled
        time_limit,  // the limit was reached
        stopped,     // keep_going returned false
    };

    // A stall time of 0 is an error in the program: std::logic_error.
    watchdog(core::simulation& simulation, core::sim_time stall_time);

    // Adds a component that reports its waits; it must outlive the watchdog.
    void watch(const core::waiter_if& waiter) { waiters_.push_back(&waiter); }
    // Any count that grows with every movement. Without it, every callback counts as movement.
    void set_progress(std::function<std::uint64_t()> moved) { moved_ = std::move(moved); }
    // The work that has begun and not ended. Without it, a run never counts as stuck.
    void set_outstanding(std::function<std::uint64_t()> outstanding) { outstanding_ = std::move(outstanding); }

    // Runs to the end, to `limit`, or until a verdict above; may be called again after time_limit and stopped. It uses
    // the scheduler's heartbeat while it runs. A stall is detected within 1.5 x the stall time; an endless series of
    // callbacks at one instant is also a stall.
    verdict run(core::sim_time limit = core::sim_time::never(), std::function<bool()> keep_going = {});

    // The message of the last run if it stalled or ran dry: "nothing has moved from 12us to 512us, with work left".
    const std::string& hang() const { return hang_; }
    // "gpu0.dma waits for posted data credit of k80_0 (since 1.2us)", a line for each wait; empty if nothing waits.
    std::vector<std::string> wait_chain() const;

private:
    // The state of the heartbeat's checks, between and inside the slices.
    struct pulse {
        watchdog& dog;
        const std::function<bool()>& keep_going;
        core::sim_time now{};  // at the last beat that saw time advance or movement
        std::uint64_t moved = 0;
        std::uint64_t beats = 0;  // since then
        bool stopped = false;
        bool spinning = false;  // the instant has no end
        void beat();
        void ask();
        void leave();
    };

    verdict run_slices(core::sim_time limit, pulse& p);
    bool run_slice(core::sim_time limit);  // false at the limit
    std::uint64_t moved() const { return moved_ ? moved_() : simulation_.events().executed(); }
    std::uint64_t outstanding() const { return outstanding_ ? outstanding_() : 0; }

    core::simulation& simulation_;
    const core::sim_time stall_time_;
    std::vector<const core::waiter_if*> waiters_;
    std::function<std::uint64_t()> moved_;
    std::function<std::uint64_t()> outstanding_;
    std::string hang_;
};

}  // namespace contraflow::observe
