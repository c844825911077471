// SPDX-License-Identifier: Apache-2.0
#include "net/routes.h"

#include <algorithm>

#include <gtest/gtest.h>

using namespace contraflow::net;

namespace {

// Edges from one node to another, following `next`; more than there are nodes means it never arrives.
unsigned hops(const plan& p, unsigned from, unsigned to) {
    unsigned count = 0;
    while (from != to && count <= p.nodes) {
        const edge& e = p.edges[p.next[from][to]];
        EXPECT_TRUE(e.a == from || e.b == from);
        from = e.a == from ? e.b : e.a;
        ++count;
    }
    return count;
}

}  // namespace

TEST(routes, every_end_reaches_every_other) {
    for (const auto kind : {topology::switched, topology::full, topology::ring})
        for (unsigned ends = 2; ends <= 8; ++ends) {
            const plan p = plan_of(kind, ends);
            for (unsigned from = 0; from < ends; ++from)
                for (unsigned to = 0; to < ends; ++to) {
                    const unsigned around = std::min((to + ends - from) % ends, (from + ends - to) % ends);
                    const unsigned wanted = from == to                    ? 0
                                            : kind == topology::switched ? 2
                                            : kind == topology::full     ? 1
                                                                         : around;
                    EXPECT_EQ(hops(p, from, to), wanted) << ends << ": " << from << " to " << to;
                }
        }
}

TEST(routes, links_of_each_topology) {
    EXPECT_EQ(plan_of(topology::switched, 4).edges.size(), 4u);
    EXPECT_EQ(plan_of(topology::full, 4).edges.size(), 6u);
    EXPECT_EQ(plan_of(topology::ring, 4).edges.size(), 4u);
    EXPECT_EQ(plan_of(topology::ring, 2).edges.size(), 1u) << "a ring of two is one link";
    const plan ring = plan_of(topology::ring, 8);
    EXPECT_EQ(std::count_if(ring.edges.begin(), ring.edges.end(), [](const edge& e) { return e.cut; }), 1);
}

TEST(routes, equal_ways_round_a_ring_are_used_alike) {
    const plan p = plan_of(topology::ring, 4);
    std::vector<unsigned> ascending(4, 0);
    for (unsigned from = 0; from < 4; ++from)
        if (p.next[from][(from + 2) % 4] == from) ++ascending[from];
    EXPECT_EQ(std::count(ascending.begin(), ascending.end(), 1u), 2);
}
