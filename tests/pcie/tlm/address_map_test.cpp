// SPDX-License-Identifier: Apache-2.0
// The results of enumeration: numbers depth first, BARs aligned, windows that hold the BARs below them and no more, and
// the resulting routes.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "pcie/fabric/address_map.h"
#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::add_endpoint;
using pcie::testing::add_gpus;
using pcie::testing::add_switch;

namespace {

constexpr std::uint64_t window_unit = 1u << 20;

std::vector<function_spec> of_all(const topology& t, const std::vector<bar_spec>& bars) {
    std::vector<function_spec> all(t.size());
    for (const node_id id : t.endpoints()) all[id].bars = bars;
    return all;
}

TEST(address_map, a_tree_by_hand) {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id sw = add_switch(t, rc, "sw");
    const node_id a = add_endpoint(t, sw, "a", {});
    const node_id b = add_endpoint(t, sw, "b", {});
    const node_id c = add_endpoint(t, rc, "c", {});
    std::vector<function_spec> s(t.size());
    s[a].bars = {{{4096}, false, "registers"}, {{window_unit}, true, "memory"}};
    s[b].bars = {{{8 * window_unit}, true, "memory"}, {{64}, false, "doorbell"}};
    s[c].bars = {{{65536}, false, "registers"}};
    const address_map m(t, s);
    // Bus 0: root ports; 1: the switch; 2: its ports downwards; 3, 4: below them; 5: c.
    EXPECT_EQ(to_text(m.above(sw).id), "0000:00:00.0");
    EXPECT_EQ(to_text(m.above(c).id), "0000:00:01.0");
    EXPECT_EQ(to_text(m.above(b).id), "0000:02:01.0");
    EXPECT_EQ(to_text(m.at(a).id), "0000:03:00.0");
    EXPECT_EQ(to_text(m.at(b).id), "0000:04:00.0");
    EXPECT_EQ(to_text(m.at(c).id), "0000:05:00.0");
    EXPECT_EQ(m.above(sw).first.bus(), 1u);
    EXPECT_EQ(m.above(sw).last.bus(), 4u);
    // 64 bits: the larger BAR first.
    EXPECT_EQ(m.at(b).bars[0], (address_range{address_map::wide_base, 8 * window_unit}));
    EXPECT_EQ(m.at(a).bars[1], (address_range{address_map::wide_base + 8 * window_unit, window_unit}));
    EXPECT_EQ(m.above(sw).wide, (address_range{address_map::wide_base, 9 * window_unit}));
    // Below 4 GiB: a window of a MiB each.
    EXPECT_EQ(m.at(a).bars[0], (address_range{0x8000'0000, 4096}));
    EXPECT_EQ(m.at(b).bars[1], (address_range{0x8010'0000, 64}));
    EXPECT_EQ(m.at(c).bars[0], (address_range{0x8020'0000, 65536}));
    EXPECT_EQ(m.above(sw).narrow, (address_range{0x8000'0000, 2 * window_unit}));
    EXPECT_EQ(m.above(c).wide.size, 0u);
    EXPECT_EQ(m.owner(0x8010'003f), b);
    EXPECT_FALSE(m.owner(0x8010'0040));
    EXPECT_EQ(m.listing().size(), 2u + 2 + 2 + 2 + 2 + 1 + 1);
}

// Every property that does not depend on the tree.
void expect_sound(const topology& t, const address_map& m) {
    std::set<function_id> ids;
    std::vector<address_range> bars;
    for (node_id id = 1; id < t.size(); ++id) {
        if (t[id].kind == node_kind::root_complex) continue;
        const auto& bridge = m.above(id);
        EXPECT_TRUE(ids.insert(bridge.id).second) << t[id].name;
        for (const auto& w : {bridge.narrow, bridge.wide}) {
            EXPECT_EQ(w.base % window_unit, 0u);
            EXPECT_EQ(w.size % window_unit, 0u);
        }
        if (t[id].kind != node_kind::endpoint) continue;
        const auto& f = m.at(id);
        EXPECT_TRUE(ids.insert(f.id).second) << t[id].name;
        for (const auto& r : f.bars) {
            EXPECT_EQ(r.base % r.size, 0u);
            for (const auto& other : bars) EXPECT_TRUE(r.last() < other.base || other.last() < r.base);
            bars.push_back(r);
            for (node_id above = id; t[above].parent != no_node; above = t[above].parent) {
                if (t[above].kind == node_kind::root_complex) continue;
                const auto& w = r.base < (std::uint64_t{1} << 32) ? m.above(above).narrow : m.above(above).wide;
                EXPECT_TRUE(w.holds(r.base) && w.holds(r.last())) << t[id].name << " below " << t[above].name;
            }
        }
    }
    // From every endpoint a request reaches the owner of every BAR, and the completion returns.
    const auto ends = t.endpoints();
    std::vector<route_table> routes;
    for (node_id id = 0; id < t.size(); ++id) routes.push_back(m.routes(id));
    tlp_pool pool(64);
    tlp* const request = pool.take(tlp_kind::memory_read);
    tlp* const answer = pool.take(tlp_kind::completion);
    const auto follow = [&](node_id from, const tlp& packet) {
        node_id at = from;
        bool first = true;
        for (unsigned hops = 0; hops < 64; ++hops) {
            if (!first && t[at].kind == node_kind::endpoint) return at;
            if (first) {
                at = t[at].parent;
                first = false;
                continue;
            }
            const unsigned port = routes[at].find(packet);
            if (port == route_table::nowhere) return no_node;
            const unsigned children = t[at].parent == no_node ? 0 : 1;
            at = children == 1 && port == 0 ? t[at].parent : t[at].children[port - children];
        }
        return no_node;
    };
    for (const node_id from : ends)
        for (const node_id to : ends) {
            if (from == to) continue;
            for (const auto& r : m.at(to).bars) {
                request->address = r.last() / 4 * 4;
                EXPECT_EQ(follow(from, *request), to);
            }
            answer->requester = m.at(to).id;
            EXPECT_EQ(follow(from, *answer), to);
        }
    request->release();
    answer->release();
}

TEST(address_map, random_trees_are_sound) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 draw(seed);
        topology t;
        std::vector<node_id> inner;
        if (draw() % 3 == 0) {
            const node_id machine = add_switch(t, no_node, "machine", node_kind::machine);
            t.socket_link = core::bandwidth::from_gb_per_s(20);
            for (int i = 0; i < 2; ++i)
                inner.push_back(add_switch(t, machine, fmt::format("rc{}", i), node_kind::root_complex));
        } else {
            inner.push_back(add_switch(t, no_node, "rc", node_kind::root_complex));
        }
        for (unsigned i = 0; i < draw() % 6; ++i)
            inner.push_back(add_switch(t, inner[draw() % inner.size()], fmt::format("sw{}", i)));
        for (unsigned i = 0; i < 2 + draw() % 12; ++i)
            add_endpoint(t, inner[draw() % inner.size()], fmt::format("gpu{}", i), {});
        std::vector<function_spec> s(t.size());
        for (const node_id id : t.endpoints())
            for (unsigned i = 0; i < 1 + draw() % 4; ++i)
                s[id].bars.push_back({{16ull << draw() % 24}, draw() % 2 == 0, ""});
        const address_map m(t, s);
        expect_sound(t, m);
        if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(address_map, more_than_256_buses_take_another_segment) {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    for (int s = 0; s < 4; ++s) add_gpus(t, add_switch(t, rc, fmt::format("sw{}", s)), 100 * s, 100);
    const address_map m(t, of_all(t, {{{4096}, true, ""}}));
    EXPECT_EQ(m.at(*t.find("gpu0")).id.segment(), 0u);
    EXPECT_EQ(m.at(*t.find("gpu399")).id.segment(), 1u);
    expect_sound(t, m);
}

TEST(address_map, what_does_not_fit_is_refused) {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    add_gpus(t, rc, 0, 3);
    EXPECT_THROW(address_map(t, of_all(t, {{{1u << 30}, false, ""}})), std::invalid_argument);  // 3 of 1 GiB in 2
    EXPECT_THROW(address_map(t, of_all(t, {{{3000}, true, ""}})), std::invalid_argument);
    EXPECT_THROW(address_map(t, of_all(t, {{{8}, true, ""}})), std::invalid_argument);
    EXPECT_NO_THROW(address_map(t, of_all(t, {{{1u << 29}, false, ""}})));
    topology deep;
    add_gpus(deep, add_switch(deep, add_switch(deep, no_node, "rc", node_kind::root_complex), "sw"), 0, 254);
    EXPECT_THROW(address_map(deep, of_all(deep, {{{4096}, true, ""}})), std::invalid_argument);
}

TEST(address_map, fixed_ranges_that_overlap_are_refused_and_named) {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    add_gpus(t, rc, 0, 2);
    const auto refused = [&](const address_range& first, const address_range& second) -> std::string {
        auto specs = of_all(t, {{{4096}, true, ""}});
        specs[*t.find("gpu0")].fixed = {first};
        specs[*t.find("gpu1")].fixed = {second};
        try {
            const address_map m(t, specs);
        } catch (const std::invalid_argument& e) { return e.what(); }
        return "";
    };
    EXPECT_EQ(refused({0, 0x1000}, {0x1000, 0x1000}), "");
    EXPECT_EQ(refused({0, 0x1001}, {0x1000, 0x1000}),
              "address_map: the fixed range 0x0 to 0x1000 of 'gpu0' and the fixed range 0x1000 to 0x1fff of 'gpu1' "
              "overlap");
    // Enumeration puts gpu0's BAR at its first wide address.
    EXPECT_EQ(refused({0, 0x1000}, {address_map::wide_base + 0xfff, 1}),
              "address_map: the BAR 0x4000000000 to 0x4000000fff of 'gpu0' and the fixed range 0x4000000fff to "
              "0x4000000fff of 'gpu1' overlap");
    EXPECT_EQ(refused({0, 0x1000}, {~std::uint64_t{0}, 2}),
              "address_map: the fixed range 0xffffffffffffffff to 0x0 of 'gpu1' ends beyond the last address");
}

}  // namespace
