// SPDX-License-Identifier: Apache-2.0
// The base of every test of the memory system: a simulation with its statistics and payloads, and checkers that
// must have stayed silent when it ends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/simulation.h"
#include "memory/port/resources.h"
#include "memory/transaction/protocol_checker.h"
#include "observe/statistics.h"

namespace contraflow::memory::testing {

struct bench {
    core::simulation sim;
    observe::statistics statistics;
    payload_pool payloads;
    resources shared{sim.events(), statistics, payloads};
    std::vector<std::unique_ptr<protocol_checker>> checkers;

    bench() = default;
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;

    // Binds through a checker.
    template <class Initiator, class Target> void connect(Initiator& from, Target& to) {
        checkers.push_back(std::make_unique<protocol_checker>(fmt::format("check{}", checkers.size()).c_str()));
        from.bind(checkers.back()->in);
        checkers.back()->out.bind(to);
    }
    // No rule was broken, and no request is pending.
    void expect_silence(bool idle = true) const {
        for (const auto& c : checkers) {
            for (const auto& v : c->violations()) ADD_FAILURE() << v.text;
            if (idle) { EXPECT_EQ(c->under_way(), 0u) << c->name(); }
        }
    }
    std::uint64_t transactions() const {
        std::uint64_t n = 0;
        for (const auto& c : checkers) n += c->seen();
        return n;
    }
};

}  // namespace contraflow::memory::testing
