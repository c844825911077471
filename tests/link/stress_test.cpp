// SPDX-License-Identifier: Apache-2.0
// Random traffic over random links: buffers that hold one packet, a lane each way, lanes that turn and fail and are
// recalled by launches all the time. Nothing is lost, nothing overtakes, every credit returns.
#include <gtest/gtest.h>

#include "support.h"
#include "traffic.h"

namespace contraflow::link {
namespace {

using core::sim_time;
using testing::bench;
using testing::generator;
using testing::peer;
using testing::pick;

link_spec random_link(generator& g) {
    static const char* const policies[]{"static", "published", "guarded", "predictive"};
    link_spec s;
    s.lanes.lanes_per_direction = static_cast<std::uint32_t>(pick(g, 0, 3) == 0 ? 1 : pick(g, 1, 20));
    s.lanes.min_lanes = 1;
    s.lanes.sample_time = {pick(g, 1, 400)};
    s.lanes.switch_time = {pick(g, 0, 100)};
    s.lanes.drain = {pick(g, 0, 8)};
    s.lanes.sync_latency = {pick(g, 0, 20)};
    s.lanes.policy = policies[pick(g, 0, 3)];
    s.header = {pick(g, 0, 3) * 8};
    s.ack_coalescing = static_cast<std::uint32_t>(pick(g, 1, 5));
    s.vcs = static_cast<std::uint32_t>(pick(g, 1, most_vcs));
    s.queue = static_cast<std::uint32_t>(pick(g, 1, 4));
    s.receive_buffer = {288 + s.header.count + pick(g, 0, 2) * pick(g, 0, 16'000)};
    s.propagation = sim_time::from_ns(pick(g, 0, s.lanes.drain.count));
    s.pipeline = sim_time{pick(g, 0, 30'000)};
    return s;
}

// Sends at random moments until that number have been sent.
class sender {
public:
    sender(bench& on, peer& from, std::uint64_t seed, unsigned vcs, std::uint64_t packets)
        : on_(on),
          from_(from),
          random_(seed),
          vcs_(vcs),
          left_(packets),
          burst_(pick(random_, 1, 60)) {
        tick();
    }

private:
    void tick() {
        for (std::uint64_t n = std::min(left_, pick(random_, 1, burst_)); n > 0; --n, --left_) {
            const bool tag = pick(random_, 0, 2) == 0;
            from_.queue(static_cast<unsigned>(pick(random_, 0, vcs_ - 1)),
                        tag ? 0 : static_cast<std::uint32_t>(pick(random_, 0, 256)), tag);
        }
        if (left_ > 0) on_.sim.events().after<&sender::tick>(sim_time{pick(random_, 1, 60'000)}, this);
    }
    bench& on_;
    peer& from_;
    generator random_;
    const unsigned vcs_;
    std::uint64_t left_;
    const std::uint64_t burst_;
};

void expect_all_arrived(bench& on, const link_spec& s, const std::string& what) {
    EXPECT_EQ(on.broken(), "") << what;
    EXPECT_EQ(on.link.outstanding(), 0u) << what;
    for (unsigned vc = 0; vc < s.vcs; ++vc) {
        EXPECT_EQ(on.b.received(vc), on.a.sent(vc)) << what;
        EXPECT_EQ(on.a.received(vc), on.b.sent(vc)) << what;
    }
}

class disturber {
public:
    disturber(bench& on, std::uint64_t seed, bool faults) : on_(on), random_(seed), faults_(faults) { tick(); }

private:
    void tick() {
        if (pick(random_, 0, 3) == 0) on_.link.kernel_launched();
        // Enough lanes stay for each direction to keep one and to have one to spare.
        if (faults_ && pick(random_, 0, 9) == 0 && on_.link.lanes().failed + 4 < all())
            on_.link.fail_lane(pick(random_, 0, 1) == 0 ? direction::ab : direction::ba);
        if (on_.link.outstanding() > 0)
            on_.sim.events().after<&disturber::tick>(sim_time{pick(random_, 1, 100'000)}, this);
    }
    unsigned all() const { return 2 * on_.link.configuration().lanes.lanes_per_direction; }
    bench& on_;
    generator random_;
    const bool faults_;
};

// The events of all runs together, so that a test can check that they occurred.
struct tried {
    std::uint64_t turns = 0, launches = 0, resent = 0, stalls = 0;
};

tried run_random(std::uint64_t first_seed, int runs, bool disturbed) {
    tried all;
    for (int i = 0; i < runs; ++i) {
        generator g(first_seed + static_cast<std::uint64_t>(i));
        const link_spec s = random_link(g);
        bench on(s);
        for (peer* p : {&on.a, &on.b})
            if (pick(g, 0, 3) == 0) p->set_think_time(sim_time{pick(g, 1, 50'000)});
        const std::uint64_t packets = pick(g, 1, 2500);
        sender a(on, on.a, g(), s.vcs, packets), b(on, on.b, g(), s.vcs, pick(g, 0, 1) * packets);
        std::unique_ptr<disturber> more;
        if (disturbed) more = std::make_unique<disturber>(on, g(), pick(g, 0, 1) == 0);
        on.sim.run();
        expect_all_arrived(on, s, "seed " + std::to_string(first_seed + static_cast<std::uint64_t>(i)));
        if (::testing::Test::HasFailure()) return all;
        all.turns += on.link.statistics().turns.value();
        all.launches += on.link.statistics().launches.value();
        for (const auto d : both_directions) {
            all.resent += on.link.statistics(d).resent.value();
            all.stalls += on.link.statistics(d).credit_stall.value() > 0 ? 1 : 0;
        }
    }
    return all;
}

TEST(stress, random_links_lose_nothing) {
    const tried all = run_random(1000, 250, false);
    EXPECT_GT(all.turns, 300u);
    EXPECT_GT(all.stalls, 100u);
}

TEST(stress, nor_under_launches_and_failing_lanes) {
    const tried all = run_random(5000, 250, true);
    EXPECT_GT(all.launches, 500u);
    EXPECT_GT(all.resent, 100u);
}

TEST(stress, a_lane_each_way_and_room_for_one_packet) {
    link_spec s;
    s.lanes.lanes_per_direction = 1;
    s.queue = 1;
    s.receive_buffer = {144};
    bench on(s);
    for (int i = 0; i < 2000; ++i) {
        on.a.queue(static_cast<unsigned>(i % 2), 128);
        on.b.queue(static_cast<unsigned>(i % 2), 64);
    }
    on.sim.run();
    expect_all_arrived(on, s, "1 + 1");
    EXPECT_EQ(on.link.statistics().turns.value(), 0u);
    EXPECT_GT(on.link.statistics(direction::ab).credit_stall.value(), 0u);
}

TEST(stress, all_lanes_but_one_go_the_same_way) {
    link_spec s;
    s.lanes.lanes_per_direction = 64;
    s.lanes.sample_time = {300};
    s.receive_buffer = {1u << 20};
    bench on(s);
    for (int i = 0; i < 200'000; ++i) on.a.queue(0, 128);
    on.b.queue(0, 64);
    on.sim.run();
    expect_all_arrived(on, s, "127 + 1");
    EXPECT_EQ(on.link.lanes().lanes.ab, 127u);
    EXPECT_EQ(on.link.lanes().lanes.ba, 1u);
}

}  // namespace
}  // namespace contraflow::link
