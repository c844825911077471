// SPDX-License-Identifier: Apache-2.0
// Communication graphs in time: queues at sources, events that coincide, idle stretches, hangs, long traces.
#include "pcie/model/timeline.h"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using test::send;

constexpr core::bytes message{300ULL << 20};

TEST(timeline, an_empty_graph_takes_no_time) {
    const topology tree = test::t2();
    const timeline_result run = run_timeline(network(tree), {});
    EXPECT_EQ(run.status, timeline_result::outcome::finished);
    EXPECT_EQ(run.end_s, 0.0);
    EXPECT_EQ(run.step_count, 0u);
}

TEST(timeline, waiting_for_the_source_counts_and_has_a_reason) {
    const topology tree = test::t2();
    const network net(tree);
    const double t = static_cast<double>(message.count) / net.reference().bytes_per_s;
    const auto run = run_timeline(net, {send(tree, 0, 1, message, 0.0), send(tree, 0, 1, message, 0.25 * t)});
    const communication_result& second = run.communications[1];
    EXPECT_NEAR(second.begin_s, t, 1e-12);
    EXPECT_NEAR(second.time_s(), 1.75 * t, 1e-12);
    EXPECT_NEAR(second.average_factor, 1.0 / 1.75, 1e-12);
    EXPECT_EQ(second.first_factor, 1.0);
    EXPECT_EQ(second.main().why, reason::source);
    EXPECT_EQ(second.main().behind, 0u);
    EXPECT_NEAR(second.lost_s[static_cast<std::size_t>(reason::source)], 0.75 * t, 1e-12);
    EXPECT_EQ(run.communications[0].main().why, reason::none);
}

TEST(timeline, ends_that_coincide_are_one_event) {
    const topology tree = test::t2();
    // The second is longer by a byte in 3e9: within 1e-9 of a message.
    const core::bytes big{3'000'000'000};
    const auto run = run_timeline(network(tree), {send(tree, 0, 1, big), send(tree, 2, 3, big + core::bytes{1})},
                                  {.recorded_steps = 10, .keep_going = {}});
    EXPECT_EQ(run.step_count, 1u);
    EXPECT_EQ(run.communications[0].end_s, run.communications[1].end_s);
}

TEST(timeline, a_start_at_an_end_is_one_event) {
    const topology tree = test::t2();
    const network net(tree);
    const double t = static_cast<double>(message.count) / net.reference().bytes_per_s;
    for (const double early : {-1e-12, 0.0, 1e-12}) {
        const auto run = run_timeline(net, {send(tree, 0, 1, message), send(tree, 2, 1, message, t + early)},
                                      {.recorded_steps = 10, .keep_going = {}});
        EXPECT_EQ(run.step_count, 2u) << early;
        EXPECT_NEAR(run.end_s, 2.0 * t, 1e-9);
    }
}

TEST(timeline, idle_stretches_are_no_steps) {
    const topology tree = test::t2();
    const auto run = run_timeline(network(tree), {send(tree, 0, 1, message, 1.0), send(tree, 2, 3, message, 5.0)},
                                  {.recorded_steps = 10, .keep_going = {}});
    ASSERT_EQ(run.steps.size(), 2u);
    EXPECT_EQ(run.steps[0].from_s, 1.0);
    EXPECT_EQ(run.steps[1].from_s, 5.0);
    EXPECT_NEAR(run.communications[1].time_s(), run.communications[0].time_s(), 1e-12);
}

TEST(timeline, nothing_to_move_is_over_when_its_turn_comes) {
    const topology tree = test::t2();
    const auto run =
        run_timeline(network(tree), {send(tree, 0, 1, message), send(tree, 0, 2, {0}), send(tree, 0, 3, {0}, 9.0)});
    EXPECT_EQ(run.status, timeline_result::outcome::finished);
    EXPECT_EQ(run.communications[1].end_s, run.communications[0].end_s);
    EXPECT_EQ(run.communications[2].time_s(), 0.0);
}

TEST(timeline, records_no_more_steps_than_asked_for) {
    const topology tree = test::t2();
    std::vector<communication> list;
    for (unsigned i = 0; i < 20; ++i) list.push_back(send(tree, 0, 1 + i % 7, {1000 + i}));
    const auto run = run_timeline(network(tree), list, {.recorded_steps = 3, .keep_going = {}});
    EXPECT_EQ(run.steps.size(), 3u);
    EXPECT_EQ(run.step_count, 20u);
}

// Six inputs of a port, all across the root complex, with 1/6 < tau: the published formula grants nothing.
TEST(timeline, no_progress_is_an_error_that_says_who) {
    topology tree;
    const node_id rc = tree.add(test::named("rc", node_kind::root_complex), no_node);
    for (unsigned i = 0; i < 7; ++i) tree.add(test::named("gpu" + std::to_string(i), node_kind::endpoint), rc);
    std::vector<communication> list;
    for (unsigned i = 1; i < 7; ++i) list.push_back(send(tree, i, 0));
    const auto run = run_timeline(network(tree), list);
    EXPECT_EQ(run.status, timeline_result::outcome::no_progress);
    EXPECT_NE(run.message.find("'1->0' (gpu1 -> gpu0) is held at gpu0.down"), std::string::npos) << run.message;
    EXPECT_FALSE(run.communications[0].ended());
    // Five of them move, slowly, until the sixth begins.
    list[5].start_s = 1e-3;
    const auto later = run_timeline(network(tree), list);
    EXPECT_EQ(later.status, timeline_result::outcome::no_progress);
    EXPECT_EQ(later.end_s, 1e-3);
    EXPECT_NEAR(later.communications[0].first_factor, 0.2 - default_tau, 1e-12);
}

TEST(timeline, refuses_starts_that_are_no_times) {
    const topology tree = test::t2();
    const network net(tree);
    EXPECT_THROW(run_timeline(net, {send(tree, 0, 1, message, -1.0)}), std::invalid_argument);
    EXPECT_THROW(run_timeline(net, {send(tree, 0, 1, message, std::numeric_limits<double>::quiet_NaN())}),
                 std::invalid_argument);
}

TEST(timeline, a_long_trace_can_be_stopped_and_runs_to_its_end) {
    const topology tree = test::t2();
    const network net(tree);
    test::generator g(1);
    std::vector<communication> list;
    for (unsigned i = 0; i < 100'000; ++i) {
        const unsigned from = test::pick(g, 8);
        list.push_back(send(tree, from, (from + 1 + test::pick(g, 7)) % 8, {1 + g() % 4'000'000}, 1e-5 * i));
    }
    const auto run = run_timeline(net, list);
    EXPECT_EQ(run.status, timeline_result::outcome::finished);
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t wanted = 0;
    for (const communication& c : list) wanted += c.size.count;
    for (const node_id gpu : tree.endpoints()) {
        const port_id out{gpu, true};
        const port_id in{gpu, false};
        sent += run.ports[out.index()].bytes;
        received += run.ports[in.index()].bytes;
    }
    EXPECT_EQ(sent, wanted);
    EXPECT_EQ(received, wanted);
    unsigned asked = 0;
    const auto stopped = run_timeline(net, list, {.recorded_steps = 0, .keep_going = [&] { return ++asked < 3; }});
    EXPECT_EQ(stopped.status, timeline_result::outcome::stopped);
    EXPECT_LT(stopped.step_count, run.step_count);
}

}  // namespace
}  // namespace contraflow::pcie::model
