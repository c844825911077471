// SPDX-License-Identifier: Apache-2.0
// The tests of the lane-reversal block, for the program of tb/lib.

#include "lane_reversal/bench/bench.h"
#include "lane_reversal/directed/case_player.h"
#include "lane_reversal/directed/directed_test.h"
#include "lane_reversal/random/random_test.h"
#include "lib/suite_if.h"

namespace contraflow::lane_reversal {
namespace {

class lane_suite final : public lib::suite_if {
public:
    lane_suite(std::uint32_t variant, bool cover)
        : block_(make_block(variant)),
          cover_(block_parameters_of_build()),
          bench_(*block_, block_parameters_of_build(), cover ? &cover_ : nullptr),
          covered_(cover ? &cover_ : nullptr) {}

    bool reset() override { return bench_.reset(); }
    void begin_test() override { bench_.begin_test(); }
    const lib::findings& found() const override { return bench_.found(); }

    void vectors(const std::string& file, const lib::test_list& list) override {
        for (const lane_case& c : read_cases(file)) {
            if (c.lanes_per_direction != bench_.parameters().lanes_per_direction || !list.wanted(c.name)) continue;
            bench_.begin_test();
            if (!list.ended(c.name, play(bench_, c))) return;
        }
    }
    void directed(bool long_tests, const lib::test_list& list) override { run_directed(bench_, long_tests, list); }
    bool random(std::uint64_t seed, std::uint64_t cycles) override {
        return run_random(bench_, covered_, {seed, cycles, false});
    }
    bool lockstep(std::uint64_t seed, std::uint64_t cycles) override {
        return run_random(bench_, nullptr, {seed, cycles, true});
    }
    std::uint64_t modelled() const override { return bench_.modelled(); }

    std::vector<lib::counted> compared() const override {
        const auto& t = bench_.compared();
        return {{"cycles", t.cycles}, {"turns", t.turns}, {"windows", t.windows}, {"accesses", t.accesses}};
    }
    void write_cover(std::ostream& to) const override { cover_.write(to); }
    void clear_coverage() override { block_->clear_coverage(); }
    void write_coverage(const std::string& file) override { block_->write_coverage(file); }

private:
    std::unique_ptr<block_if> block_;
    coverage_model cover_;
    bench bench_;
    coverage_model* const covered_;  // null: cover points are not counted
};

}  // namespace
}  // namespace contraflow::lane_reversal

namespace contraflow::lib {

std::unique_ptr<suite_if> make_suite(std::uint32_t variant, bool cover) {
    return std::make_unique<lane_reversal::lane_suite>(variant, cover);
}

}  // namespace contraflow::lib
