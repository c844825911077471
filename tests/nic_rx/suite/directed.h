// SPDX-License-Identifier: Apache-2.0
// Tests of the receive datapath for what random packets reach seldom, each from a reset of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nic_rx/suite/cover.h"

namespace contraflow::testing {

struct directed_result {
    std::string wrong;  // empty, or the first thing that is
    std::uint64_t cycles = 0, packets = 0, actions = 0;

    // Of several plays in one test.
    void add(const directed_result& r) {
        if (wrong.empty()) wrong = r.wrong;
        cycles += r.cycles;
        packets += r.packets;
        actions += r.actions;
    }
};

struct directed_test {
    std::string name;
    bool is_long = false;
    std::function<directed_result(cover&)> run;
};

const std::vector<directed_test>& directed_tests();

}  // namespace contraflow::testing
