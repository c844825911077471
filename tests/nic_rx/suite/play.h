// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "nic/receive_reference.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/cover.h"
#include "nic_rx/suite/directed.h"

namespace contraflow::testing {

// A core answers misses and commands.
inline rx_bench::behaviour with_core() {
    rx_bench::behaviour how;
    how.by_core = true;
    how.rings = most_rings();
    return how;
}

// A case on a bench; notes the first thing that is wrong.
class play {
public:
    play(cover& c, nic::receive_case what, const rx_bench::behaviour& how = {})
        : cover_(c),
          b(std::move(what), with_rings(how)) {
        c.pressure(how);
        b.set_up();
    }
    void expect(bool good, const std::string& text) {
        if (!good && wrong_.empty()) wrong_ = text;
    }
    template <class A, class B> void equal(const A& is, const B& wanted, const std::string& what) {
        expect(is == static_cast<A>(wanted), fmt::format("{} is {}, not {}", what, is, wanted));
    }
    std::uint32_t read(unsigned address) { return b.bus(false, address); }
    // Runs to the end, and compares.
    directed_result end() {
        b.bad_payloads = bad.payloads;
        expect(b.run(), "the packets do not end");
        b.core = {};
        const auto result = b.result();
        const std::string difference = nic::first_difference(result, expected_of(b.given, bad));
        expect(difference.empty(), difference);
        if (difference.empty()) cover_.played(b.given, result);
        return so_far(result.actions.size());
    }
    directed_result so_far(std::size_t actions = 0) {
        expect(b.broken.empty(), b.broken);
        return {wrong_, b.cycle, b.given.packets.size(), actions};
    }

private:
    static rx_bench::behaviour with_rings(rx_bench::behaviour how) {
        how.rings = most_rings();
        return how;
    }
    cover& cover_;
    std::string wrong_;

public:
    bad_memories bad;  // that the packets meet; bits of payloads change by themselves
    rx_bench b;
};

}  // namespace contraflow::testing
