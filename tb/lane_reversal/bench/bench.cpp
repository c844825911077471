// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/bench/bench.h"

namespace contraflow::lane_reversal {

bench::bench(block_if& block, const block_parameters& p, coverage_model* cover)
    : block_(block),
      parameters_(p),
      reference_(p),
      scoreboard_(p.lanes_per_direction),
      cover_(cover) {}

void bench::edge() {
    ++cycle_;
    found_.begin_cycle(cycle());
    lib::assertions_go_to(&found_);
    block_.edge();
    reference_.edge();
    if (last_.rst_n && reference_.out().running) failed_ |= last_.fault;
    if (last_.rst_n && last_.launch && first_launch_ == 0) first_launch_ = cycle_;
}

bool bench::drive(const inputs& in) {
    block_.drive(in);
    reference_.drive(in);
    if (!in.rst_n) {
        scoreboard_.reset();
        failed_ = 0;
        first_launch_ = 0;
    }
    scoreboard_.compare({cycle_, last_.rst_n && last_.launch, failed_}, in, block_.out(), reference_, found_);
    if (cover_ != nullptr) cover_->observe(last_, in, reference_);
    if (reference_.modelled()) ++modelled_;
    last_ = in;
    return found_.empty();
}

bool bench::reset() {
    for (unsigned i = 0; i < 2; ++i) {
        edge();
        if (!drive({})) return false;
    }
    return true;
}

}  // namespace contraflow::lane_reversal
