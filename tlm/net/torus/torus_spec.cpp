// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_spec.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::net {

void torus_spec::describe(config::fields<torus_spec>& f) {
    f("kind", &torus_spec::topology)
        .only<net::topology::torus, net::topology::mesh>()
        .text("torus: each line of nodes is closed to a ring; mesh: it has two ends");
    f("nodes", &torus_spec::nodes).in(1, 64).text("nodes of each dimension: one number, two or three, as in [4, 4, 2]");
    f("link_rate", &torus_spec::link_rate)
        .check([](core::bandwidth b) { return b.bytes_per_s >= 1e6 && b.bytes_per_s <= 1e12; }, "1MB/s to 1TB/s")
        .text("rate of each link, in each direction; a word of 16 B takes a cycle");
    f("router", &torus_spec::router)
        .in(0, 10000)
        .unit("cycles")
        .text("time from a header's arrival until it may leave");
    f("wire", &torus_spec::wire)
        .in(1, 10000)
        .unit("cycles")
        .text("time of a word on the wire, and of a credit on its way back");
    f("virtual_channels", &torus_spec::virtual_channels)
        .in(1, 8)
        .text("virtual channels of requests on each link, and as many of responses; in a ring half of them are beyond "
              "the dateline");
    f("buffer", &torus_spec::buffer)
        .in(1, 65536)
        .unit("words")
        .text("receive buffer of each virtual channel; a packet leaves for it only if it fits whole");
    f("queue", &torus_spec::queue)
        .in(1, 65536)
        .unit("packets")
        .text("packets of a node that wait for one of its links, of each class; beyond it the node waits");
    f("transit_turns", &torus_spec::transit_turns)
        .in(1, 1'000'000)
        .unit("packets")
        .text("packets in transit that may go before one of the node's own in a row, where both wait for a link");
    f("retry_buffer", &torus_spec::retry_buffer)
        .in(1, 65536)
        .unit("words")
        .text("words that a link keeps until they are acknowledged; with fewer than 2 wire + 1 the link waits for "
              "acknowledgements");
    f("error_rate", &torus_spec::error_rate)
        .in(0, 0.5)
        .text("share of words that a wire damages; the link's CRC finds them, and they are sent again");
    f.renamed("topology", "kind");
}

unsigned torus_spec::node_count() const {
    unsigned n = 1;
    for (const std::uint32_t of : nodes) n *= of;
    return n;
}

core::sim_time torus_spec::word_time() const { return link_rate.time_of({torus_word_bytes}); }

network_spec torus_spec::grid() const {
    network_spec s;
    s.topology = topology;
    s.nodes = nodes;
    return s;
}

std::vector<config::problem> problems_of(const torus_spec& s) {
    std::vector<config::problem> found;
    const std::string given = fmt::format("[{}]", fmt::join(s.nodes, ", "));
    if (s.topology != topology::torus && s.topology != topology::mesh) {
        found.push_back({"its routers are joined in lines or rings", {{"kind", "torus, mesh"}}});
        return found;
    }
    if (s.nodes.empty() || s.nodes.size() > 3) {
        found.push_back(
            {fmt::format("nodes {} has {} dimensions", given, s.nodes.size()), {{"nodes", "one to three numbers"}}});
        return found;
    }
    if (s.node_count() > torus_spec::most_nodes)
        found.push_back({fmt::format("nodes {} is {} nodes", given, s.node_count()),
                         {{"nodes", fmt::format("at most {} in all", torus_spec::most_nodes)}}});
    bool rings = false;
    for (const std::uint32_t of : s.nodes) rings |= s.topology == topology::torus && of > 2;
    if (rings && s.virtual_channels % 2 != 0)
        found.push_back({fmt::format("virtual_channels {}: a ring needs as many beyond its dateline as before it",
                                     s.virtual_channels),
                         {{"virtual_channels", "an even number"}, {"kind", "mesh"}}});
    const double exact = torus_word_bytes / s.link_rate.bytes_per_s * 1e12;
    if (std::abs(exact - static_cast<double>(s.word_time().ps)) > 1e-6 * exact)
        found.push_back(
            {fmt::format("link_rate {}: a word takes {:.4f} ps, no whole number", core::to_text(s.link_rate), exact),
             {{"link_rate", "one at which 16 B take whole picoseconds, such as 4GB/s"}}});
    return found;
}

std::string direction_name(unsigned dimension, bool positive) {
    return fmt::format("{}{}", "xyz"[dimension], positive ? '+' : '-');
}

std::vector<std::string> torus_link_names(const torus_spec& s) {
    std::vector<std::string> names;
    const wiring all = wired(s.grid(), s.node_count());
    for (const wiring::wire& w : all.wires)
        for (const bool positive : {true, false})
            names.push_back(
                fmt::format("{}.{}", all.routers[positive ? w.a : w.b], direction_name(w.dimension, positive)));
    return names;
}

}  // namespace contraflow::net
