// SPDX-License-Identifier: Apache-2.0
// The verdict on a run with an internal fault while requests still wait.
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "face/command_line/errors.h"
#include "runner/bench.h"
#include "runner/run.h"

using namespace contraflow;

namespace {

// Moves every 100 ns for a while, and leaves a request pending.
class broken_machine final : public runner::bench, public core::waiter_if {
public:
    explicit broken_machine(std::string fault) : fault_(std::move(fault)) {}
    std::vector<const core::waiter_if*> waiters() const override { return {this}; }
    std::uint64_t moved() override { return steps_; }
    std::uint64_t outstanding() override { return 1; }
    void start(std::function<void()>) override { step(); }
    void rethrow(bool) override {
        if (!fault_.empty()) throw std::runtime_error(fault_);
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        edges.push_back({"reader", "an answer", "memory", {}});
    }

private:
    void step() {
        if (++steps_ < 20) simulation.events().after<&broken_machine::step>(core::sim_time::from_ns(100), this);
    }
    const std::string fault_;
    std::uint64_t steps_ = 0;
};

runner::run_outcome run(std::string fault, core::sim_time limit = core::sim_time::never()) {
    runner::run_outcome r;
    runner::limits l;
    l.watchdog = core::sim_time::from_us(10);
    l.time = limit;
    runner::run(std::make_unique<broken_machine>(std::move(fault)), l, r);
    return r;
}

TEST(fault, is_what_the_run_failed_by_where_it_leaves_parts_waiting) {
    const auto r = run("a page that is nobody's");
    EXPECT_TRUE(r.hung());  // the verdict stays
    EXPECT_FALSE(r.wait_chain.empty());
    EXPECT_FALSE(r.complete());
    EXPECT_EQ(r.fault, "a page that is nobody's");
    EXPECT_EQ(runner::exit_code_of(r), face::exit_checks_failed);
    EXPECT_EQ(runner::verdict_text(r), "fault");
}

TEST(fault, is_what_the_run_failed_by_where_it_was_stopped_as_well) {
    const auto limit = core::sim_time::from_ns(1000);
    EXPECT_EQ(runner::exit_code_of(run("a page that is nobody's", limit)), face::exit_checks_failed);
    EXPECT_EQ(runner::exit_code_of(run("", limit)), face::exit_stopped);
}

TEST(fault, is_not_invented_for_a_hang) {
    const auto r = run("");
    EXPECT_TRUE(r.hung());
    EXPECT_EQ(runner::exit_code_of(r), face::exit_no_progress);
    EXPECT_EQ(runner::verdict_text(r), "not ended");
}

}  // namespace
