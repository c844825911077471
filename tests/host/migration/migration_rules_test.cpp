// SPDX-License-Identifier: Apache-2.0
// The choice of the pages that move, and the moment: policies, windows, and the defence against ping-pong.
#include <gtest/gtest.h>

#include "config/config.h"
#include "host/migration/page_migrator.h"

namespace {

using namespace contraflow;
using namespace contraflow::host::migration;
using core::sim_time;

constexpr sim_time us(std::uint64_t n) { return sim_time::from_us(n); }
page_touch touch(std::uint64_t page, unsigned gpu, unsigned owner, seen_by how = seen_by::walk, sim_time now = {}) {
    return {{1, page * 4096}, gpu, owner, false, how, now};
}
rules::spec with(policy_kind p) {
    rules::spec s;
    s.policy = p;
    return s;
}

TEST(migration_rules, never_and_always_mean_it) {
    rules no(with(policy_kind::never)), yes(with(policy_kind::always));
    EXPECT_TRUE(no.idle());
    EXPECT_FALSE(yes.idle());
    for (const seen_by how : {seen_by::walk, seen_by::counter}) {
        EXPECT_EQ(no.judge(touch(1, 2, 1, how)), verdict::stay);
        EXPECT_EQ(yes.judge(touch(1, 2, 1, how)), verdict::move);
        EXPECT_EQ(yes.judge(touch(1, 2, 2, how)), verdict::stay);  // it is already there
    }
}

TEST(migration_rules, first_touch_is_once_a_page_whoever_it_is) {
    rules r(with(policy_kind::first_touch));
    EXPECT_EQ(r.judge(touch(1, 2, 1)), verdict::move);
    EXPECT_EQ(r.judge(touch(1, 3, 2)), verdict::stay);
    EXPECT_EQ(r.judge(touch(2, 1, 1)), verdict::stay);  // an access of the owner
    EXPECT_EQ(r.judge(touch(2, 2, 1)), verdict::stay);
    EXPECT_EQ(r.judge({{2, 4096}, 2, 1, false, seen_by::walk, {}}), verdict::move);  // a page of another process
    r.erase({1, 4096});
    EXPECT_EQ(r.judge(touch(1, 3, 2)), verdict::move);
    r.reset();
    EXPECT_EQ(r.judge(touch(2, 2, 1)), verdict::move);
}

TEST(migration_rules, access_counts_are_told_by_counters) {
    rules r(with(policy_kind::access_count));
    EXPECT_EQ(r.judge(touch(1, 2, 1)), verdict::stay);
    EXPECT_EQ(r.judge(touch(1, 2, 1, seen_by::counter)), verdict::move);
}

TEST(migration_rules, windows_open_and_close) {
    windows always;
    EXPECT_TRUE(always.open({}));
    windows w({{us(10), us(20)}, {us(15), us(30)}, {us(40), sim_time::never()}});
    for (const std::uint64_t open : {10u, 19u, 20u, 29u, 40u, 1'000'000u}) EXPECT_TRUE(w.open(us(open))) << open;
    for (const std::uint64_t shut : {0u, 9u, 30u, 39u}) EXPECT_FALSE(w.open(us(shut))) << shut;
    w.open_now();
    EXPECT_TRUE(w.open(us(5)));
    w.close_now();
    EXPECT_FALSE(w.open(us(15)));
    w.reset();
    EXPECT_TRUE(w.open(us(15)));
    w.add({us(1), us(2)});
    EXPECT_TRUE(w.open(us(1)));
    w.reset();
    EXPECT_FALSE(w.open(us(1)));
    EXPECT_THROW(w.add({us(2), us(2)}), std::invalid_argument);
}

TEST(migration_rules, outside_a_window_nothing_moves) {
    rules::spec s = with(policy_kind::always);
    s.windows = {{us(10), us(20)}};
    rules r(s);
    EXPECT_EQ(r.judge(touch(1, 2, 1)), verdict::outside_window);
    EXPECT_EQ(r.judge(touch(1, 2, 1, seen_by::walk, us(10))), verdict::move);
    EXPECT_EQ(r.judge(touch(1, 1, 1)), verdict::stay);
    r.times().open_now();
    EXPECT_EQ(r.judge(touch(1, 2, 1)), verdict::move);
}

TEST(migration_rules, a_page_that_goes_back_and_forth_stays_each_time_twice_as_long) {
    rules::spec s = with(policy_kind::always);
    s.ping_pong = {3, us(100), us(10)};
    rules r(s);
    const page_id page{1, 4096};
    const auto judged = [&](sim_time now) { return r.judge(touch(1, 2, 1, seen_by::walk, now)); };
    EXPECT_FALSE(r.moved(page, us(1)));
    EXPECT_FALSE(r.moved(page, us(2)));
    EXPECT_EQ(judged(us(3)), verdict::move);
    EXPECT_TRUE(r.moved(page, us(3)));
    EXPECT_EQ(judged(us(12)), verdict::pinned);
    EXPECT_EQ(r.judge(touch(2, 2, 1, seen_by::walk, us(12))), verdict::move);  // another page
    EXPECT_EQ(judged(us(13)), verdict::move);
    for (const std::uint64_t t : {13u, 14u}) EXPECT_FALSE(r.moved(page, us(t)));
    EXPECT_TRUE(r.moved(page, us(15)));
    EXPECT_EQ(judged(us(34)), verdict::pinned);
    EXPECT_EQ(judged(us(35)), verdict::move);
    // Old moves do not count.
    EXPECT_FALSE(r.moved(page, us(40)));
    EXPECT_FALSE(r.moved(page, us(41)));
    EXPECT_FALSE(r.moved(page, us(150)));
    EXPECT_EQ(judged(us(151)), verdict::move);
    r.erase(page);
    EXPECT_FALSE(r.moved(page, us(160)));
}

TEST(migration_rules, moves_count_together_up_to_the_last_moment) {
    rules::spec s = with(policy_kind::always);
    s.ping_pong = {2, us(100), us(10)};
    rules r(s);
    EXPECT_FALSE(r.moved({1, 4096}, us(1)));
    EXPECT_TRUE(r.moved({1, 4096}, us(101)));
    EXPECT_FALSE(r.moved({1, 8192}, us(1)));
    EXPECT_FALSE(r.moved({1, 8192}, us(102)));
}

TEST(migration_rules, without_the_defence_no_page_is_ever_kept) {
    rules r(with(policy_kind::always));
    for (std::uint64_t t = 0; t < 1000; ++t) EXPECT_FALSE(r.moved({1, 4096}, us(t)));
    EXPECT_EQ(r.judge(touch(1, 2, 1, seen_by::walk, us(1000))), verdict::move);
}

}  // namespace
