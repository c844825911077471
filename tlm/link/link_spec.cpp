// SPDX-License-Identifier: Apache-2.0
#include "link/link_spec.h"

#include <cmath>

#include <fmt/format.h>

namespace contraflow::link {
namespace {

double phit(const link_spec& s, core::sim_time cycle) { return s.lane_rate.bytes_per_s * cycle.seconds(); }

}  // namespace

void link_spec::describe(config::fields<link_spec>& f) {
    using core::bytes;
    f("lanes", &link_spec::lanes).text("how many there are, and how they turn");
    f("lane_rate", &link_spec::lane_rate)
        .check([](core::bandwidth b) { return b.bytes_per_s >= 1e6 && b.bytes_per_s <= 1e12; }, "1MB/s to 1TB/s")
        .text("of one lane; a whole number of bytes a cycle");
    f("header", &link_spec::header).in(bytes{0}, bytes{1024}).text("of every packet, framing and check included");
    f("tags_a_header", &link_spec::tags_a_header)
        .in(1, 64)
        .unit("packets")
        .text("responses without data that wait behind one another and travel as one packet, in its header");
    f("queue", &link_spec::queue)
        .in(1, 65536)
        .unit("packets")
        .text("that wait at the sender, of each virtual channel; beyond it the sender has to");
    f("receive_buffer", &link_spec::receive_buffer)
        .in(bytes{1}, bytes{1u << 24})
        .text("of each virtual channel, headers included; the sender has credits for it");
    f("propagation", &link_spec::propagation)
        .in(core::sim_time{}, core::sim_time::from_us(100))
        .text("of a bit along a lane; lanes.drain must last as long");
    f("pipeline", &link_spec::pipeline)
        .in(core::sim_time{}, core::sim_time::from_us(100))
        .text("what both ends add to a packet's or a credit's way");
}

std::uint32_t phit_bytes(const link_spec& s, core::sim_time cycle) {
    return static_cast<std::uint32_t>(std::llround(phit(s, cycle)));
}

std::string problem_of(const link_spec& s, core::sim_time cycle) {
    if (std::string wrong = problem_of(s.lanes); !wrong.empty()) return "lanes: " + wrong;
    const double exact = phit(s, cycle);
    const std::uint32_t phit = phit_bytes(s, cycle);
    if (phit == 0 || std::abs(exact - phit) > 1e-6 * exact)
        return fmt::format("lane_rate {} is {:.4g} bytes a cycle of {}, no whole number", core::to_text(s.lane_rate),
                           exact, core::to_text(cycle));
    if (cycle * s.lanes.drain.count < s.propagation)
        return fmt::format("a lane would turn before it is empty: lanes.drain is {}, propagation {}",
                           core::to_text(cycle * s.lanes.drain.count), core::to_text(s.propagation));
    if (s.receive_buffer.count < s.header.count + phit)
        return fmt::format("receive_buffer {} holds no packet of one phit and a header of {}",
                           core::to_text(s.receive_buffer), core::to_text(s.header));
    return {};
}

}  // namespace contraflow::link
