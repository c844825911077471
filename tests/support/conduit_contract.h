// SPDX-License-Identifier: Apache-2.0
// The contract of everything that carries items from senders to receivers: channels, links, networks, bridges, engines.
// A test program includes this in one source, wraps its component in a conduit, and instantiates the suite:
//   INSTANTIATE_TEST_SUITE_P(link, conduit_contract, ::testing::ValuesIn(instances), contraflow::testing::name_of);
// A component whose streams do not depend on each other instantiates conduit_independence as well.
// A GPU's DMA engine and a NIC's transmit engine are no conduits: they never refuse anything. The first holds every
// submitted copy, which remains the owner's; the second reads descriptors from memory when it has room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/simulation.h"
#include "core/waiting.h"

namespace contraflow::testing {

// Items are numbers. Items of one stream arrive in the order in which they were offered.
class conduit {
public:
    class user_if {
    public:
        virtual bool may_take(unsigned stream) = 0;
        virtual void arrived(unsigned stream, std::uint64_t number) = 0;
        virtual void may_offer(unsigned stream) = 0;  // a refused item would now be accepted

    protected:
        ~user_if() = default;
    };
    conduit() : own_(std::make_unique<core::simulation>()), sim(*own_) {}
    // A conduit in a test bench with its own simulation, which outlives it.
    explicit conduit(core::simulation& of) : sim(of) {}
    virtual ~conduit() = default;

    virtual unsigned streams() const = 0;
    // False: refused; may_offer() follows.
    virtual bool offer(unsigned stream, std::uint64_t number) = 0;
    // The answer of may_take() would now be different.
    virtual void resume(unsigned stream) = 0;
    virtual void reset() = 0;
    // The numbers of items given, taken, inside, and dropped by resets.
    virtual std::uint64_t in() const = 0;
    virtual std::uint64_t out() const = 0;
    virtual std::uint64_t held() const = 0;
    virtual std::uint64_t dropped() const = 0;
    virtual void report_waits(std::vector<core::wait_edge>& edges) const = 0;
    // The component at the end of a stream's chain of waits, and the one at its beginning.
    virtual std::string sender(unsigned stream) const = 0;
    virtual std::string receiver(unsigned stream) const = 0;
    // An inconsistency inside; empty if there is none.
    virtual std::string broken() { return ""; }
    // A stream that continues when that one is blocked, or that one itself if there is none.
    virtual unsigned independent_of(unsigned stream) const { return stream; }

private:
    const std::unique_ptr<core::simulation> own_;

public:
    core::simulation& sim;
    user_if* user = nullptr;
};

struct conduit_instance {
    std::string name;
    std::function<std::unique_ptr<conduit>()> make;
};
inline std::string name_of(const ::testing::TestParamInfo<conduit_instance>& p) { return p.param.name; }
inline void PrintTo(const conduit_instance& i, std::ostream* to) { *to << i.name; }

// Offers items whenever it may, or after a pause, and takes arrived items at random times.
class conduit_user final : public conduit::user_if {
public:
    struct spec {
        std::uint64_t items = 0;  // items of each stream
        unsigned refuse_one_in = 0;
        unsigned pause_one_in = 0;
        std::uint64_t seed = 1;
    };
    conduit_user(conduit& c, const spec& s) : c_(c), spec_(s), draw_(s.seed), streams_(c.streams()) {
        c.user = this;
        for (unsigned i = 0; i < c.streams(); ++i) {
            streams_[i].left = s.items;
            wake(i, {});
        }
    }
    // A reset: refused items and those in flight are dropped, and that many further items follow.
    void begin_again(std::uint64_t items) {
        for (unsigned i = 0; i < streams_.size(); ++i) {
            streams_[i].left = items;
            streams_[i].refused = false;
            streams_[i].expected = streams_[i].next;  // none from before the reset
            wake(i, {});
        }
    }
    void set_taking(unsigned stream, bool on) {
        streams_[stream].taking = on;
        if (on) c_.resume(stream);
    }
    void drop_rest() {
        for (auto& s : streams_) s.left = 0;
    }
    std::uint64_t received(unsigned stream) const { return streams_[stream].received; }
    std::uint64_t given(unsigned stream) const { return streams_[stream].next; }
    bool refused(unsigned stream) const { return streams_[stream].refused; }
    std::uint64_t wrong = 0;    // out of order, twice, or from before a reset
    std::uint64_t unequal = 0;  // moments at which given differs from taken + held + dropped
    std::uint64_t misled = 0;   // offers refused at once after may_offer()

private:
    struct stream {
        std::uint64_t left = 0, next = 0, expected = 0, received = 0;
        bool refused = false, taking = true, waking = false, resting = false, resumed = false;
    };
    void wake(unsigned i, core::sim_time delay) {
        if (std::exchange(streams_[i].waking, true)) return;
        c_.sim.events().after(
            delay,
            [](void* o, std::uint64_t n) {
                auto* const self = static_cast<conduit_user*>(o);
                self->streams_[n].waking = false;
                self->push(static_cast<unsigned>(n));
            },
            this, i);
    }
    void push(unsigned i) {
        stream& s = streams_[i];
        while (s.left > 0 && !s.refused) {
            if (spec_.pause_one_in != 0 && draw_() % spec_.pause_one_in == 0)
                return wake(i, core::sim_time{1 + draw_() % 20000});
            --s.left;
            ++s.next;
            if (!c_.offer(i, s.next - 1)) {
                ++s.left;
                --s.next;
                s.refused = true;
            }
            balance();
        }
    }
    bool may_take(unsigned i) override {
        stream& s = streams_[i];
        if (!s.taking || s.resting) return false;
        if (std::exchange(s.resumed, false)) return true;  // may_offer() was called
        if (spec_.refuse_one_in == 0 || draw_() % spec_.refuse_one_in != 0) return true;
        s.resting = true;
        c_.sim.events().after(
            core::sim_time{1 + draw_() % 30000},
            [](void* o, std::uint64_t n) {
                auto* const self = static_cast<conduit_user*>(o);
                self->streams_[n].resting = false;
                self->streams_[n].resumed = true;
                self->c_.resume(static_cast<unsigned>(n));
            },
            this, i);
        return false;
    }
    void arrived(unsigned i, std::uint64_t number) override {
        wrong += number != streams_[i].expected++;
        ++streams_[i].received;
    }
    void may_offer(unsigned i) override {
        stream& s = streams_[i];
        if (!std::exchange(s.refused, false)) return;
        const std::uint64_t before = s.left;
        const bool waking = s.waking;
        push(i);
        misled += s.refused && s.left == before && !waking;
    }
    void balance() { unequal += c_.in() != c_.out() + c_.held() + c_.dropped(); }

    conduit& c_;
    const spec spec_;
    std::mt19937_64 draw_;
    std::vector<stream> streams_;
};

// "link.ab.vc[0]" is in "link.ab".
inline bool is_or_in(const std::string& path, const std::string& whole) {
    return path == whole || path.starts_with(whole + ".");
}

class conduit_contract : public ::testing::TestWithParam<conduit_instance> {
protected:
    static constexpr unsigned few = 8;  // with more streams, only this number is checked
    static void expect_sound(conduit& c, const conduit_user& u) {
        EXPECT_EQ(u.wrong, 0u);
        EXPECT_EQ(u.unequal, 0u);
        EXPECT_EQ(u.misled, 0u);
        EXPECT_EQ(c.in(), c.out() + c.held() + c.dropped());
        EXPECT_EQ(c.broken(), "");
    }
    static void expect_all(conduit& c, const conduit_user& u, std::uint64_t each) {
        for (unsigned i = 0; i < c.streams(); ++i) EXPECT_EQ(u.received(i), each) << "stream " << i;
        EXPECT_EQ(c.held(), 0u);
        expect_sound(c, u);
    }
};

TEST_P(conduit_contract, everything_arrives_once_and_in_order) {
    const auto c = GetParam().make();
    const std::uint64_t items = c->streams() > few ? 60 : 300;
    conduit_user u(*c, {.items = items});
    c->sim.run();
    expect_all(*c, u, items);
}

TEST_P(conduit_contract, nothing_is_lost_however_senders_pause_and_receivers_refuse) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const auto c = GetParam().make();
        const std::uint64_t items = c->streams() > few ? 40 : 200;
        conduit_user u(*c, {.items = items, .refuse_one_in = 3, .pause_one_in = seed % 2 == 0 ? 5u : 0u, .seed = seed});
        c->sim.run();
        expect_all(*c, u, items);
    }
}

TEST_P(conduit_contract, reset_in_any_state_drops_what_is_inside_and_leaves_it_as_new) {
    std::mt19937_64 draw(5);
    for (int round = 0; round < 12; ++round) {
        const auto c = GetParam().make();
        conduit_user u(*c, {.items = 500, .refuse_one_in = round % 3 == 0 ? 0u : 4u, .seed = draw()});
        const core::sim_time first{1 + draw() % (round % 2 == 0 ? 20000 : 1000000)};
        c->sim.run_to(first);
        u.drop_rest();
        const std::uint64_t held = c->held(), dropped = c->dropped();
        c->reset();
        EXPECT_EQ(c->held(), 0u);
        EXPECT_EQ(c->dropped(), dropped + held);
        expect_sound(*c, u);
        const std::uint64_t again = c->streams() > few ? 20 : 100;
        std::vector<std::uint64_t> before;
        for (unsigned i = 0; i < c->streams(); ++i) before.push_back(u.received(i));
        if (round % 4 == 0) c->sim.run();  // callbacks armed before must do nothing
        for (unsigned i = 0; i < c->streams(); ++i) EXPECT_EQ(u.received(i), before[i]);
        u.begin_again(again);
        c->sim.run();
        for (unsigned i = 0; i < c->streams(); ++i) EXPECT_EQ(u.received(i), before[i] + again) << "stream " << i;
        EXPECT_EQ(c->held(), 0u);
        expect_sound(*c, u);
    }
}

TEST_P(conduit_contract, who_waits_is_named_from_the_sender_to_the_receiver) {
    const unsigned streams = GetParam().make()->streams();
    const std::uint64_t items = streams > few ? 50 : 500;
    for (unsigned i = 0; i < streams; i += 1 + streams / few) {
        const auto c = GetParam().make();
        conduit_user u(*c, {.items = items});
        u.set_taking(i, false);
        c->sim.run();
        ASSERT_TRUE(u.refused(i));
        std::vector<core::wait_edge> edges;
        c->report_waits(edges);
        std::set<std::string> reached{c->sender(i)};
        for (std::size_t before = 0; before != reached.size();) {
            before = reached.size();
            for (const auto& e : edges)
                if (std::any_of(reached.begin(), reached.end(),
                                [&](const std::string& r) { return is_or_in(e.waiter, r); }))
                    reached.insert(e.holder);
        }
        EXPECT_EQ(reached.count(c->receiver(i)), 1u) << c->sender(i) << " waits for " << c->receiver(i);
        for (const auto& e : edges) {
            EXPECT_FALSE(e.resource.empty());
            EXPECT_LE(e.since, c->sim.events().now());
        }
        u.set_taking(i, true);
        c->sim.run();
        expect_all(*c, u, items);
        edges.clear();
        c->report_waits(edges);
        EXPECT_TRUE(edges.empty()) << edges.front().waiter << " waits for " << edges.front().holder;
    }
}

class conduit_independence : public conduit_contract {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(conduit_independence);

TEST_P(conduit_independence, a_stream_that_is_blocked_does_not_stop_one_that_is_independent_of_it) {
    const unsigned streams = GetParam().make()->streams();
    unsigned tried = 0;
    for (unsigned i = 0; i < streams; i += 1 + streams / few) {
        const auto c = GetParam().make();
        const unsigned other = c->independent_of(i);
        if (other == i) continue;
        ++tried;
        const std::uint64_t items = streams > few ? 50 : 300;
        conduit_user u(*c, {.items = items});
        u.set_taking(i, false);
        c->sim.run();
        EXPECT_LT(u.received(i), items);
        EXPECT_EQ(u.received(other), items) << other << " behind " << i;
    }
    EXPECT_NE(tried, 0u);
}

}  // namespace contraflow::testing
