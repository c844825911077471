// SPDX-License-Identifier: Apache-2.0
// The block, its reference, the scoreboard and the cover model around one clock. A test gives the inputs; they go to
// both, and all outputs are compared in the same cycle.
#pragma once

#include <cstdint>

#include "lane_reversal/bench/scoreboard.h"
#include "lane_reversal/bench/verilated_block.h"
#include "lane_reversal/coverage/coverage_model.h"
#include "lane_reversal/model/reference.h"
#include "lib/findings.h"

namespace contraflow::lane_reversal {

class bench {
public:
    bench(block_if& block, const block_parameters& p, coverage_model* cover);

    // The clock edge. After it a test may read the block's outputs about its lanes.
    void edge();
    const outputs& seen() const { return block_.out(); }
    const reference& ref() const { return reference_; }
    // The rest of the cycle. False if a check fired in it; the test is over then.
    bool drive(const inputs& in);
    // A few cycles in reset. False as above.
    bool reset();
    // Cycles since the first launch after the last reset; that launch's cycle is 0.
    std::uint64_t cycle() const { return cycle_ - first_launch_; }
    std::uint64_t total() const { return cycle_; }

    const block_parameters& parameters() const { return parameters_; }
    const lib::findings& found() const { return found_; }
    // Reports an error that a test itself found.
    void complain(const char* check, std::string text) { found_.add(check, std::move(text)); }
    void finish() { scoreboard_.finish(found_); }
    const scoreboard::totals& compared() const { return scoreboard_.compared(); }
    std::uint64_t modelled() const { return modelled_; }  // cycles in which the model took part
    void begin_test() { found_ = {}; }

private:
    block_if& block_;
    const block_parameters parameters_;
    reference reference_;
    scoreboard scoreboard_;
    coverage_model* cover_;
    lib::findings found_;
    inputs last_;
    std::uint64_t cycle_ = 0, first_launch_ = 0, modelled_ = 0;
    std::uint32_t failed_ = 0;  // lanes that the inputs made fail
};

}  // namespace contraflow::lane_reversal
