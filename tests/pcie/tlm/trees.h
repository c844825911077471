// SPDX-License-Identifier: Apache-2.0
// Trees and runs for several tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pcie/dma/fabric.h"

namespace contraflow::pcie::testing {

inline node_id add_gpus(topology& t, node_id parent, int first, int count, link_rate link = {}) {
    node_id last = no_node;
    for (int g = first; g < first + count; ++g) {
        topology_node n;
        n.name = fmt::format("gpu{}", g);
        n.link = link;
        last = t.add(n, parent);
    }
    return last;
}

inline node_id add_switch(topology& t, node_id parent, std::string name, node_kind kind = node_kind::pcie_switch,
                          link_rate link = {}) {
    topology_node n;
    n.name = std::move(name);
    n.kind = kind;
    n.link = link;
    return t.add(n, parent);
}

inline node_id add_endpoint(topology& t, node_id parent, std::string name, link_rate link) {
    return add_switch(t, parent, std::move(name), node_kind::endpoint, link);
}

// Four K80: eight GPUs below four 3-port switches below two 3-port switches below a root complex.
inline topology t2(link_rate link = {}) {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    for (int p = 0; p < 2; ++p) {
        const node_id plx = add_switch(t, rc, fmt::format("plx_{}", p), node_kind::pcie_switch, link);
        for (int k = 0; k < 2; ++k) {
            const int card = 2 * p + k;
            const node_id k80 = add_switch(t, plx, fmt::format("k80_{}", card), node_kind::pcie_switch, link);
            add_gpus(t, k80, 2 * card, 2, link);
        }
    }
    return t;
}

inline stream send(const topology& t, const std::string& from, const std::string& to, std::uint64_t size,
                   core::sim_time start = {}) {
    stream s;
    s.name = from + "->" + to;
    s.from = *t.find(from);
    s.to = *t.find(to);
    s.size = {size};
    s.start = start;
    return s;
}

struct outcome {
    std::vector<stream> streams;
    bool conserved = false;
    std::string broken;  // the broken invariants
    std::uint64_t tlps = 0;
    std::vector<observe::stat_row> statistics;
    double ms(std::size_t i) const { return streams[i].finished.seconds() * 1e3; }
    std::uint64_t total(const std::string& ending) const {
        double sum = 0;
        for (const auto& row : statistics)
            if (row.path.ends_with(ending)) sum += row.value;
        return static_cast<std::uint64_t>(sum);
    }
};
inline double gib_per_s(const outcome& o, std::size_t i) {
    const auto& s = o.streams[i];
    return static_cast<double>(s.size.count) / 1073741824.0 / (s.finished - s.start).seconds();
}

inline outcome run(const topology& t, const fabric_spec& s, std::vector<stream> streams) {
    core::simulation sim;
    fabric f(sim, t, s, std::move(streams));
    sim.run();
    observe::conservation checks;
    f.check(checks);
    outcome o{f.streams(), checks.held(), {}, f.tlps_moved(), f.statistics().rows(sim.events().now())};
    for (const auto& c : checks.checks())
        if (!c.held()) o.broken += fmt::format("{}: {} in, {} out\n", c.name, c.in, c.out);
    return o;
}

}  // namespace contraflow::pcie::testing
