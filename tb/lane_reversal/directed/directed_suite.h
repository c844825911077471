// SPDX-License-Identifier: Apache-2.0
// The common part of directed suites: a player, and tests by name until one of them ends the run.
#pragma once

#include <string>

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
