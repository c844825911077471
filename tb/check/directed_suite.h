// SPDX-License-Identifier: Apache-2.0
// What suites of directed tests share: a player, and tests by name until one of them ends it all.
#pragma once

#include <functional>
#include <string>

#include "check/directed_player.h"

namespace contraflow::check {

// Is told of each test; says whether to go on.
using test_ended = std::function<bool(const std::string& name, bool good)>;

class directed_suite {
public:
    directed_suite(bench& b, const test_ended& ended)
        : bench_(b),
          player_(b),
          n_(b.parameters().lanes_per_direction),
          ended_(ended) {}
    bool going() const { return going_; }

protected:
    template <class Test> void test(const std::string& name, Test&& body) {
        if (!going_) return;
        bench_.begin_test();
        bool good = body();
        good = good && bench_.found().empty();
        going_ = ended_(name, good);
    }
    static settings times(std::uint32_t sample, std::uint32_t change, std::uint32_t drain, std::uint32_t exchange) {
        settings s;
        s.sample_time = sample;
        s.switch_time = change;
        s.drain = drain;
        s.exchange = exchange;
        return s;
    }

    bench& bench_;
    directed_player player_;
    const unsigned n_;  // lanes of each direction

private:
    const test_ended& ended_;
    bool going_ = true;
};

}  // namespace contraflow::check
