// SPDX-License-Identifier: Apache-2.0
#include "core/channel.h"

#include <gtest/gtest.h>

#include "support/conduit_contract.h"

namespace {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using core::channel_spec;
using core::sim_time;

using number_channel = core::channel<std::uint64_t>;

// The units of an item, where units are counted.
std::uint64_t weight(std::uint64_t number) { return 1 + number * 7 % 5; }

class one_channel final : public contraflow::testing::conduit,
                          core::channel_sender_if<std::uint64_t>,
                          core::channel_receiver_if<std::uint64_t> {
public:
    explicit one_channel(const channel_spec& s)
        : channel(sim.events(), s, {*this, 3, "sender"}, {*this, 5, "receiver"}) {}
    unsigned streams() const override { return 1; }
    bool offer(unsigned, std::uint64_t n) override { return channel.try_push(n, weight(n)); }
    void resume(unsigned) override { channel.resume(); }
    void reset() override { channel.reset(); }
    std::uint64_t in() const override { return channel.pushed(); }
    std::uint64_t out() const override { return channel.taken(); }
    std::uint64_t held() const override { return channel.held(); }
    std::uint64_t dropped() const override { return handed_back; }
    void report_waits(std::vector<core::wait_edge>& edges) const override { channel.report_waits(edges); }
    std::string sender(unsigned) const override { return "sender"; }
    std::string receiver(unsigned) const override { return "receiver"; }
    std::string broken() override {
        const channel_spec& s = channel.configuration();
        const bool whole = channel.all_items() == s.depth && channel.all_units() == s.units;
        return whole && handed_back == channel.dropped() ? "" : "credits, or items of a reset, are missing";
    }
    number_channel channel;
    std::uint64_t handed_back = 0;

private:
    void channel_ready(unsigned port) override { port == 3 ? user->may_offer(0) : throw std::logic_error("port"); }
    void channel_dropped(unsigned, const std::uint64_t&) override { ++handed_back; }
    bool can_take(unsigned port, const std::uint64_t&) override { return port == 5 && user->may_take(0); }
    void take(unsigned, std::uint64_t n) override { user->arrived(0, n); }
};

contraflow::testing::conduit_instance instance(std::string name, const channel_spec& s) {
    return {std::move(name), [s] { return std::make_unique<one_channel>(s); }};
}

INSTANTIATE_TEST_SUITE_P(
    channel, conduit_contract,
    ::testing::Values(
        instance("ready_valid", {.path = "c", .depth = 0}), instance("one", {.path = "c", .depth = 1}),
        instance("deep", {.path = "c", .depth = 7}),
        instance("late", {.path = "c", .depth = 4, .latency = sim_time{9000}}),
        instance("paced", {.path = "c", .depth = 4, .latency = sim_time{2500}, .interval = sim_time{1000}}),
        instance("units", {.path = "c", .depth = 8, .units = 5}),
        instance("credits", {.path = "c", .depth = 6, .latency = sim_time{3000}, .credit_latency = sim_time{3000}}),
        instance("flit_credits", {.path = "c",
                                  .depth = 6,
                                  .units = 11,
                                  .latency = sim_time{3000},
                                  .interval = sim_time{500},
                                  .credit_latency = sim_time{4000}})),
    contraflow::testing::name_of);

// Notes the times of arrivals; takes every item that is allowed.
struct both_ends final : core::channel_sender_if<std::uint64_t>,
                         core::channel_receiver_if<std::uint64_t>,
                         core::channel_observer_if {
    explicit both_ends(const channel_spec& s) : c(sim.events(), s, {*this, 0, "from"}, {*this, 0, "to"}) {
        c.set_observer(this);
    }
    void channel_ready(unsigned) override { ready_at.push_back(sim.events().now().ps); }
    bool can_take(unsigned, const std::uint64_t&) override { return taking; }
    void take(unsigned, std::uint64_t) override { taken_at.push_back(sim.events().now().ps); }
    void held_changed(sim_time, int by) override { gauge += by, most = std::max(most, gauge); }
    core::simulation sim;
    bool taking = true;
    std::vector<std::uint64_t> ready_at, taken_at;
    int gauge = 0, most = 0;
    number_channel c;
};

TEST(channel, an_item_is_offered_after_its_latency_and_one_an_interval) {
    both_ends e({.path = "c", .depth = 4, .latency = sim_time{100}, .interval = sim_time{30}});
    for (std::uint64_t n = 0; n < 3; ++n) EXPECT_TRUE(e.c.try_push(n));
    e.sim.run_to(sim_time{500});
    EXPECT_TRUE(e.c.try_push(3));
    e.sim.run();
    EXPECT_EQ(e.taken_at, (std::vector<std::uint64_t>{100, 130, 160, 600}));
    EXPECT_EQ(e.sim.events().executed(), 4u);
    EXPECT_EQ(e.most, 3);
    EXPECT_EQ(e.gauge, 0);
}

TEST(channel, a_credit_is_back_after_its_time_and_wakes_only_who_was_refused) {
    both_ends e({.path = "c", .depth = 1, .latency = sim_time{100}, .credit_latency = sim_time{40}});
    EXPECT_TRUE(e.c.try_push(0));
    EXPECT_FALSE(e.c.ready(1));
    e.sim.run();
    EXPECT_EQ(e.taken_at, std::vector<std::uint64_t>{100});
    EXPECT_EQ(e.ready_at, std::vector<std::uint64_t>{140});
    EXPECT_TRUE(e.c.try_push(1));
    e.sim.run();
    EXPECT_EQ(e.ready_at.size(), 1u);
}

TEST(channel, without_a_queue_an_item_is_taken_at_once_or_not_at_all_and_costs_no_callback) {
    both_ends e({.path = "c", .depth = 0});
    EXPECT_TRUE(e.c.try_push(0));
    e.taking = false;
    EXPECT_FALSE(e.c.try_push(1));
    EXPECT_EQ(e.c.held(), 0u);
    e.c.resume();  // asks the sender, which would offer an item
    EXPECT_EQ(e.ready_at.size(), 1u);
    e.c.resume();
    EXPECT_EQ(e.ready_at.size(), 1u);
    e.sim.run();
    EXPECT_EQ(e.sim.events().executed(), 0u);
    EXPECT_EQ(e.taken_at.size(), 1u);
}

TEST(channel, items_share_its_units_as_well_as_its_places) {
    both_ends e({.path = "c", .depth = 3, .units = 10});
    e.taking = false;
    EXPECT_TRUE(e.c.try_push(0, 6));
    EXPECT_FALSE(e.c.try_push(1, 5));
    EXPECT_TRUE(e.c.try_push(1, 4));
    EXPECT_FALSE(e.c.ready(2, 1));
    EXPECT_THROW(e.c.ready(2, 11), std::logic_error);
}

TEST(channel, a_push_that_would_be_refused_and_a_queueless_one_that_takes_time_are_errors) {
    both_ends e({.path = "c", .depth = 1});
    e.c.push(0);
    EXPECT_THROW(e.c.push(1), std::logic_error);
    EXPECT_THROW(both_ends({.path = "c", .depth = 0, .latency = sim_time{1}}), std::invalid_argument);
}

}  // namespace
