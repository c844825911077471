// SPDX-License-Identifier: Apache-2.0
#include "observe/statistics.h"

#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

using core::sim_time;

std::string csv(const statistics& s, sim_time end = sim_time::from_us(1)) {
    std::ostringstream out;
    s.write_csv(out, end);
    return out.str();
}

TEST(statistics, come_out_in_order_of_registration) {
    statistics all;
    counter b(all, "sw.up.tlps", "TLPs", "sent upstream");
    counter a(all, "a.bytes", "B", "payload");
    b += 3;
    ++b;
    a += 1ull << 40;
    EXPECT_EQ(csv(all), "path,metric,unit,value\nsw.up.tlps,count,TLPs,4\na.bytes,count,B,1099511627776\n");
    const auto rows = all.rows(sim_time::from_us(1));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].text, "sent upstream");
    EXPECT_EQ(rows[0].metric, "count");
}

TEST(statistics, demand_path_unit_text_and_a_path_of_their_own) {
    statistics all;
    EXPECT_THROW(counter(all, "", "B", "text"), std::logic_error);
    EXPECT_THROW(counter(all, "a", "", "text"), std::logic_error);
    EXPECT_THROW(gauge(all, "a", "B", ""), std::logic_error);
    EXPECT_TRUE(all.rows({}).empty());
    const histogram first(all, "a", "ns", "text");
    EXPECT_THROW(counter(all, "a", "B", "other"), std::logic_error);
    EXPECT_EQ(all.rows({}).size(), 6u);
}

TEST(statistics, leave_with_their_component) {
    statistics all;
    const counter stays(all, "stays", "B", "text");
    auto goes = std::make_unique<series>(all, "goes", "B", "text", sim_time::from_ns(1));
    EXPECT_EQ(all.rows({}).size(), 3u);  // a series has a total and a peak
    goes.reset();
    EXPECT_EQ(csv(all), "path,metric,unit,value\nstays,count,B,0\n");
    const counter again(all, "goes", "B", "the path is free again");
    EXPECT_EQ(all.rows({}).size(), 2u);
}

TEST(statistics, keep_their_order_whichever_leaves) {
    statistics all;
    std::vector<std::unique_ptr<counter>> some;
    const auto paths = [&] {
        std::string text;
        for (const auto& row : all.rows({})) text += row.path;
        return text;
    };
    for (const char* path : {"a", "b", "c", "d", "e"})
        some.push_back(std::make_unique<counter>(all, path, "B", "text"));
    some[2].reset();
    EXPECT_EQ(paths(), "abde");
    some[0].reset();
    EXPECT_EQ(paths(), "bde");
    some[4].reset();
    EXPECT_EQ(paths(), "bd");
    const counter last(all, "f", "B", "text");
    EXPECT_EQ(paths(), "bdf");
    some.clear();
    EXPECT_EQ(paths(), "f");
}

TEST(statistics, may_outlive_their_registry) {
    auto all = std::make_unique<statistics>();
    counter c(*all, "c", "B", "text");
    series s(*all, "s", "B", "text", sim_time::from_ns(1));
    all.reset();
    ++c;
    EXPECT_EQ(c.value(), 1u);
}

TEST(statistics, csv_quotes_what_needs_it_and_prints_shortest_numbers) {
    statistics all;
    counter c(all, "odd,\"name\"", "B", "text");
    const ratio r(
        all, "share", "1", "text", [] { return 0.1; }, [] { return 1.0; });
    EXPECT_EQ(csv(all), "path,metric,unit,value\n\"odd,\"\"name\"\"\",count,B,0\nshare,ratio,1,0.1\n");
}

TEST(statistics, reset_ends_the_warm_up_of_all) {
    statistics all;
    counter c(all, "c", "B", "text");
    gauge l(all, "l", "entries", "text");
    histogram h(all, "h", "ns", "text");
    series s(all, "s", "B", "text", sim_time::from_ns(1));
    c += 7;
    l.set(sim_time::from_ns(0), 10);
    l.set(sim_time::from_ns(50), 2);
    h.add(99);
    s.add(sim_time::from_ns(3), 5);
    all.reset(sim_time::from_ns(100));
    EXPECT_EQ(c.value(), 0u);
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.max(), 0u);
    EXPECT_TRUE(s.points().empty());
    EXPECT_DOUBLE_EQ(l.last(), 2);  // the level stays
    EXPECT_DOUBLE_EQ(l.max(), 2);
    l.set(sim_time::from_ns(150), 4);
    EXPECT_DOUBLE_EQ(l.mean(sim_time::from_ns(200)), 3);
}

TEST(ratio, is_evaluated_when_asked_and_0_without_denominator) {
    statistics all;
    counter hits(all, "hits", "accesses", "text");
    counter accesses(all, "accesses", "accesses", "text");
    const ratio r(
        all, "hit_rate", "1", "hits of accesses", [&] { return double(hits.value()); },
        [&] { return double(accesses.value()); });
    EXPECT_EQ(r.value(), 0);
    hits += 3;
    accesses += 4;
    EXPECT_EQ(r.value(), 0.75);
}

TEST(gauge, is_weighted_by_time) {
    statistics all;
    gauge l(all, "queue", "entries", "text");
    EXPECT_EQ(l.mean(sim_time::from_ns(0)), 0);
    l.set(sim_time::from_ns(10), 4);  // 0 for 10 ns
    l.set(sim_time::from_ns(40), 1);  // 4 for 30 ns
    EXPECT_DOUBLE_EQ(l.mean(sim_time::from_ns(60)), (4 * 30 + 1 * 20) / 60.0);
    EXPECT_DOUBLE_EQ(l.mean(sim_time::from_ns(40)), 4 * 30 / 40.0);
    EXPECT_DOUBLE_EQ(l.max(), 4);
    EXPECT_DOUBLE_EQ(l.last(), 1);
    EXPECT_EQ(csv(all, sim_time::from_ns(40)),
              "path,metric,unit,value\nqueue,mean,entries,3\nqueue,max,entries,4\nqueue,last,entries,1\n");
}

TEST(gauge, takes_several_values_at_one_instant) {
    statistics all;
    gauge l(all, "queue", "entries", "text");
    l.set(sim_time::from_ns(5), 100);
    l.set(sim_time::from_ns(5), 2);
    EXPECT_DOUBLE_EQ(l.mean(sim_time::from_ns(10)), 1);
    EXPECT_DOUBLE_EQ(l.max(), 100);
}

}  // namespace
}  // namespace contraflow::observe
