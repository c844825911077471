// SPDX-License-Identifier: Apache-2.0
// Wirings without packets: routes arrive by the fewest wires, and channels do not wait in cycles.
#include "net/topology.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace {

using namespace contraflow;
using net::network_spec;
using net::topology;
using net::wired;
using net::wiring;

struct shape {
    const char* name;
    network_spec spec;
    unsigned nodes;
};

network_spec of(topology t, std::vector<std::uint32_t> nodes = {}, unsigned arity = 2) {
    network_spec s;
    s.topology = t;
    s.nodes = std::move(nodes);
    s.tree_arity = arity;
    return s;
}

const std::vector<shape> shapes{
    {"switch_2", of(topology::central_switch), 2},
    {"switch_9", of(topology::central_switch), 9},
    {"fully_connected_5", of(topology::fully_connected), 5},
    {"ring_2", of(topology::ring), 2},
    {"ring_3", of(topology::ring), 3},
    {"ring_4", of(topology::ring), 4},
    {"ring_9", of(topology::ring), 9},
    {"mesh_2", of(topology::mesh), 2},
    {"mesh_line", of(topology::mesh, {7}), 7},
    {"mesh_3x4", of(topology::mesh, {3, 4}), 12},
    {"mesh_3x2x4", of(topology::mesh, {3, 2, 4}), 24},
    {"torus_2", of(topology::torus), 2},
    {"torus_ring_of_5", of(topology::torus, {5}), 5},
    {"torus_ring_of_8", of(topology::torus, {8}), 8},
    {"torus_2x2", of(topology::torus, {2, 2}), 4},
    {"torus_4x2", of(topology::torus, {4, 2}), 8},
    {"torus_3x3", of(topology::torus, {3, 3}), 9},
    {"torus_4x4x4", of(topology::torus, {4, 4, 4}), 64},
    {"torus_5x3x2", of(topology::torus, {5, 3, 2}), 30},
    {"tree_2", of(topology::tree), 2},
    {"tree_5", of(topology::tree), 5},
    {"tree_9_by_3", of(topology::tree, {}, 3), 9},
    {"tree_16_by_4", of(topology::tree, {}, 4), 16},
};

// A wire in one direction and a level.
using channel = std::tuple<unsigned, unsigned, unsigned>;

std::vector<channel> way(const wiring& w, unsigned from, unsigned to) {
    std::vector<channel> all;
    unsigned dimension = 0, level = 0;
    for (unsigned at = from; at != to && all.size() <= w.wires.size();) {
        const unsigned wire = w.routes[at][to];
        level = w.next_level(wire, dimension, level);
        dimension = w.wires[wire].dimension;
        all.emplace_back(wire, at, level);
        at = w.across(wire, at);
    }
    return all;
}

// A breadth-first search over the wires.
std::vector<unsigned> distances(const wiring& w, unsigned from) {
    std::vector<unsigned> far(w.routers.size(), ~0u);
    far[from] = 0;
    for (std::vector<unsigned> next{from}; !next.empty();) {
        std::vector<unsigned> more;
        for (const unsigned r : next)
            for (unsigned n = 0; n < w.wires.size(); ++n) {
                if (w.wires[n].a != r && w.wires[n].b != r) continue;
                const unsigned o = w.across(n, r);
                if (far[o] != ~0u) continue;
                far[o] = far[r] + 1;
                more.push_back(o);
            }
        next = std::move(more);
    }
    return far;
}

class every_shape : public ::testing::TestWithParam<shape> {
protected:
    const wiring w = wired(GetParam().spec, GetParam().nodes);
    const unsigned nodes = GetParam().nodes;
};
INSTANTIATE_TEST_SUITE_P(topology, every_shape, ::testing::ValuesIn(shapes),
                         [](const auto& p) { return std::string(p.param.name); });

TEST_P(every_shape, packets_arrive_by_as_few_wires_as_there_are) {
    for (unsigned from = 0; from < nodes; ++from) {
        const auto far = distances(w, from);
        for (unsigned to = 0; to < nodes; ++to) {
            EXPECT_EQ(way(w, from, to).size(), far[to]) << from << " to " << to;
            EXPECT_EQ(w.hops(from, to), far[to]);
        }
    }
}

TEST_P(every_shape, no_channels_wait_for_one_another_in_a_circle) {
    std::map<channel, std::set<channel>> waits_for;
    for (unsigned from = 0; from < nodes; ++from)
        for (unsigned to = 0; to < nodes; ++to) {
            const auto all = way(w, from, to);
            for (std::size_t i = 0; i + 1 < all.size(); ++i) waits_for[all[i]].insert(all[i + 1]);
            for (const channel& c : all) EXPECT_LT(std::get<2>(c), w.levels);
        }
    // Removes channels that wait for none until no such channel is left.
    for (bool any = true; any;) {
        any = false;
        for (auto it = waits_for.begin(); it != waits_for.end();) {
            std::erase_if(it->second, [&](const channel& c) { return waits_for.count(c) == 0; });
            any |= it->second.empty();
            it = it->second.empty() ? waits_for.erase(it) : std::next(it);
        }
    }
    EXPECT_TRUE(waits_for.empty()) << waits_for.size() << " channels in circles";
}

TEST_P(every_shape, links_have_names_of_their_own) {
    const auto names = net::link_names(GetParam().spec, nodes);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), w.wires.size());
}

TEST(torus, halfway_round_the_way_is_the_positive_one) {
    const wiring w = wired(of(topology::torus, {4}), 4);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(w.across(w.routes[i][(i + 2) % 4], i), (i + 1) % 4);
}

TEST(torus, goes_along_the_first_dimension_first) {
    const wiring w = wired(of(topology::torus, {4, 3, 2}), 24);
    // From (0,0,0) to (3,2,1): back over the edge in x, back over the edge in y, up in z.
    std::vector<unsigned> through;
    for (const auto& [wire, from, level] : way(w, 0, 3 + 2 * 4 + 12)) through.push_back(w.across(wire, from));
    EXPECT_EQ(through, (std::vector<unsigned>{3, 3 + 8, 3 + 8 + 12}));
}

TEST(torus, has_the_wires_of_its_mesh_and_one_more_for_each_line_of_three_or_more) {
    EXPECT_EQ(wired(of(topology::torus, {4, 2}), 8).wires.size(),
              wired(of(topology::mesh, {4, 2}), 8).wires.size() + 2);
    EXPECT_EQ(wired(of(topology::torus, {2, 2}), 4).levels, 1u);
    EXPECT_EQ(wired(of(topology::torus, {3, 3}), 9).wires_of(4), 4u);
}

TEST(tree, has_a_switch_for_so_many_below_up_to_one) {
    const wiring w = wired(of(topology::tree, {}, 4), 16);
    EXPECT_EQ(w.routers.size(), 16u + 4 + 1);
    EXPECT_EQ(w.hops(0, 3), 2u);
    EXPECT_EQ(w.hops(0, 4), 4u);
}

TEST(topology, a_switch_may_have_one_node) {
    const wiring w = wired(of(topology::central_switch), 1);
    EXPECT_EQ(w.routers.size(), 2u);
    EXPECT_EQ(w.wires.size(), 1u);
    EXPECT_EQ(w.hops(0, 0), 0u);
}

TEST(topology, what_cannot_be_built_is_refused) {
    EXPECT_THROW(wired(of(topology::ring), 1), std::invalid_argument);
    EXPECT_THROW(wired(of(topology::mesh, {3}), 4), std::invalid_argument);
    EXPECT_THROW(wired(of(topology::torus, {2, 3}), 8), std::invalid_argument);
    EXPECT_THROW(wired(of(topology::tree, {}, 1), 4), std::invalid_argument);
}

}  // namespace
