// SPDX-License-Identifier: Apache-2.0
#include "net/routes.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::net {
namespace {

void add_switch(plan& p) {
    p.nodes = p.ends + 1;
    for (unsigned i = 0; i < p.ends; ++i) p.edges.push_back({i, p.ends, false});
    p.next.assign(p.nodes, std::vector<unsigned>(p.ends));
    for (unsigned i = 0; i < p.ends; ++i) {
        p.next[i].assign(p.ends, i);
        p.next[p.ends][i] = i;
    }
}

void add_full(plan& p) {
    p.next.assign(p.nodes, std::vector<unsigned>(p.ends));
    for (unsigned a = 0; a < p.ends; ++a)
        for (unsigned b = a + 1; b < p.ends; ++b) {
            p.next[a][b] = p.next[b][a] = static_cast<unsigned>(p.edges.size());
            p.edges.push_back({a, b, false});
        }
}

// The shorter way round; of two equal ones, even nodes take the ascending and odd nodes the descending one, so that
// both carry the same. The last edge, from the highest node to 0, is the cut: no cycle of waits can close over it.
void add_ring(plan& p) {
    const unsigned n = p.ends;
    p.vcs = 4;
    p.next.assign(p.nodes, std::vector<unsigned>(n));
    for (unsigned i = 0; i < n; ++i) p.edges.push_back({i, (i + 1) % n, i + 1 == n});
    for (unsigned from = 0; from < n; ++from)
        for (unsigned to = 0; to < n; ++to) {
            const unsigned up = (to + n - from) % n;
            const bool ascending = 2 * up < n || (2 * up == n && from % 2 == 0);
            p.next[from][to] = ascending ? from : (from + n - 1) % n;
        }
}

}  // namespace

plan plan_of(topology kind, unsigned ends) {
    if (ends < 2) throw std::logic_error("a network joins two nodes at least");
    plan p;
    p.ends = p.nodes = ends;
    switch (kind) {
    case topology::switched: add_switch(p); break;
    case topology::full: add_full(p); break;
    case topology::ring:
        if (ends == 2)
            add_full(p);  // a ring of two is one link
        else
            add_ring(p);
        break;
    }
    return p;
}

std::string node_name(const plan& p, unsigned node) {
    return node < p.ends ? fmt::format("gpu[{}]", node) : std::string("switch");
}

}  // namespace contraflow::net
