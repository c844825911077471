// SPDX-License-Identifier: Apache-2.0
// The common part of directed suites: a player, and tests by name until one of them ends the run.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "lane_reversal/directed/directed_player.h"
#include "lib/suite_if.h"

namespace contraflow::lane_reversal {

class directed_suite {
public:
    directed_suite(bench& b, const lib::test_list& list)
        : bench_(b),
          player_(b),
          n_(b.parameters().lanes_per_direction),
          list_(list) {}
    bool going() const { return going_; }

protected:
    template <class Test> void test(const std::string& name, Test&& body) {
        if (!going_ || !list_.wanted(name)) return;
        bench_.begin_test();
        bool good = body();
        good = good && bench_.found().empty();
        going_ = list_.ended(name, good);
    }
    // Cycles with that traffic until `done` says so; a finding if it does not within `limit` cycles. `what` has to
    // come.
    template <class Done>
    bool until(const char* what, Done&& done, std::uint64_t limit, std::uint64_t ab, std::uint64_t ba) {
        for (; !done(); --limit) {
            if (limit == 0) {
                bench_.complain("case.reached", fmt::format("{} does not come", what));
                return false;
            }
            if (!player_.run(1, ab, ba)) return false;
        }
        return true;
    }
    // The lowest or the highest lanes of the link.
    std::uint32_t outermost(bool lowest, unsigned count) const {
        const std::uint64_t some = (std::uint64_t{1} << count) - 1;
        return static_cast<std::uint32_t>(lowest ? some : some << (2 * n_ - count));
    }
    // `wait`: cycles from a decision until it holds.
    static settings times(std::uint32_t sample, std::uint32_t change, std::uint32_t drain, std::uint32_t wait) {
        settings s;
        s.sample_time = sample;
        s.switch_time = change;
        s.drain = drain;
        s.sync_latency = decision_cycles + wait;
        return s;
    }
    // Cycles from one decision to the next, where every window that may decide does.
    static std::uint64_t period(const settings& s) {
        return (std::uint64_t{s.sync_latency} + s.drain + s.switch_time) / s.sample_time * s.sample_time +
               s.sample_time;
    }

    bench& bench_;
    directed_player player_;
    const unsigned n_;  // lanes of each direction

private:
    const lib::test_list& list_;
    bool going_ = true;
};

}  // namespace contraflow::lane_reversal
