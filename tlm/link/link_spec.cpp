// SPDX-License-Identifier: Apache-2.0
#include "link/link_spec.h"

#include <cmath>

#include <fmt/format.h>

namespace contraflow::link {
namespace {

double phit(const link_spec& s, core::sim_time cycle) { return s.lane_rate.bytes_per_s * cycle.seconds(); }
core::bandwidth rate_of_a_byte(core::sim_time cycle) { return {1e12 / static_cast<double>(cycle.ps)}; }

}  // namespace

void link_spec::describe(config::fields<link_spec>& f) {
    using core::bytes;
    f("lanes", &link_spec::lanes).text("how many there are, and how they turn");
    f("lane_rate", &link_spec::lane_rate)
        .check([](core::bandwidth b) { return b.bytes_per_s >= 1e6 && b.bytes_per_s <= 1e12; }, "1MB/s to 1TB/s")
        .text("rate of one lane; a whole number of bytes a cycle");
    f("header", &link_spec::header)
        .in(bytes{0}, bytes{1024})
        .text("size of every packet's header, framing and check included");
    f("ack_coalescing", &link_spec::ack_coalescing)
        .in(1, 64)
        .unit("packets")
        .text("responses without data that wait behind one another and travel as one packet, in its header");
    f.renamed("tags_a_header", "ack_coalescing");
    f.removed("vcs", "a network has as many virtual channels as its kind needs");
    f("queue", &link_spec::queue)
        .in(1, 65536)
        .unit("packets")
        .text("packets that wait at the sender, for each virtual channel; beyond it the sender waits");
    f("receive_buffer", &link_spec::receive_buffer)
        .in(bytes{1}, bytes{1u << 24})
        .text("buffer of each virtual channel at the receiver, headers included; the sender has credits for it");
    f("propagation", &link_spec::propagation)
        .in(core::sim_time{}, core::sim_time::from_us(100))
        .text("time of a bit along a lane; lanes.drain must last as long");
    f("pipeline", &link_spec::pipeline)
        .in(core::sim_time{}, core::sim_time::from_us(100))
        .text("latency that both ends add to a packet or a credit");
}

std::uint32_t phit_bytes(const link_spec& s, core::sim_time cycle) {
    return static_cast<std::uint32_t>(std::llround(phit(s, cycle)));
}

std::vector<config::problem> problems_of(const link_spec& s, core::sim_time cycle) {
    auto found = config::below("lanes", problems_of(s.lanes));
    const core::sim_time drain = cycle * s.lanes.drain.count;
    if (drain < s.propagation)
        found.push_back({fmt::format("a lane would turn before it is empty: propagation is {}, lanes.drain {}, {}",
                                     core::to_text(s.propagation), core::to_text(s.lanes.drain), core::to_text(drain)),
                         {{"propagation", fmt::format("at most {}", core::to_text(drain))},
                          {"lanes.drain",
                           fmt::format("at least {}",
                                       core::to_text(core::cycles{(s.propagation.ps + cycle.ps - 1) / cycle.ps}))}}});
    const double exact = phit(s, cycle);
    const std::uint32_t phit = phit_bytes(s, cycle);
    if (phit == 0 || std::abs(exact - phit) > 1e-6 * exact) {
        found.push_back({fmt::format("lane_rate {} is {:.4g} bytes a cycle of {}, no whole number",
                                     core::to_text(s.lane_rate), exact, core::to_text(cycle)),
                         {{"lane_rate", fmt::format("a multiple of {}", core::to_text(rate_of_a_byte(cycle)))}}});
        return found;  // the further checks count in these bytes
    }
    if (const core::bytes least{s.header.count + phit}; s.receive_buffer < least)
        found.push_back(
            {fmt::format("receive_buffer {} holds no packet of one phit, {}, and a header of {}",
                         core::to_text(s.receive_buffer), core::to_text(core::bytes{phit}), core::to_text(s.header)),
             {{"receive_buffer", fmt::format("at least {}", core::to_text(least))},
              {"header", "less than receive_buffer, by a phit"},
              {"lane_rate", "so low that a phit, what a lane carries in a cycle, has room"}}});
    return found;
}

}  // namespace contraflow::link
