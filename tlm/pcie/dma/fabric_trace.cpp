// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/fabric_trace.h"

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

const char* kind_name(tlp_kind k) {
    switch (k) {
    case tlp_kind::memory_write: return "MWr";
    case tlp_kind::memory_read: return "MRd";
    case tlp_kind::deferrable_write: return "DMWr";
    case tlp_kind::atomic: return "Atomic";
    case tlp_kind::completion: break;
    }
    return "CplD";
}

}  // namespace

fabric_observer::fabric_observer(fabric& watched, observe::trace* trace, observe::wave_sink_if* waves,
                                 const observe::time_window& window)
    : fabric_(watched),
      trace_(trace),
      window_(window),
      directions_(2 * watched.tree().size()) {
    const topology& tree = watched.tree();
    for (node_id id = 1; id < tree.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id p{id, up};
            direction& d = directions_[p.index()];
            const bool endpoint = tree[id].kind == node_kind::endpoint;
            d.first = endpoint && up;
            d.last = endpoint && !up;
            if (trace_ != nullptr) d.track = trace_->track(tree[id].name, up ? "up" : "down");
        }
    if (trace != nullptr) watched.add_observer(*this);
    if (waves != nullptr) watched.add_observer(signals_.emplace(tree, "", *waves, window));
}

void fabric_observer::tlp_sent(unsigned id, const tlp& packet, core::sim_time begin, core::sim_time end, bool again,
                               bool corrupted) {
    if (!window_.holds(begin)) return;
    const direction& d = directions_[id];
    if (packet.stream == no_stream)
        return trace_->slice(d.track, again ? "MSI replay" : "MSI", begin, end,
                             fmt::format(R"({{"bytes":{},"corrupted":{}}})", packet.length, corrupted));
    const stream& s = fabric_.streams()[packet.stream];
    const auto name = fmt::format("{} {}{}", kind_name(packet.kind), s.name, again ? " replay" : "");
    trace_->slice(
        d.track, name, begin, end,
        fmt::format(R"({{"offset":{},"bytes":{},"corrupted":{}}})", packet.position, packet.length, corrupted));
    if (again) return;
    // The pieces of a packet that a root complex cuts continue the packet's flow; the last piece ends it.
    const std::uint64_t offset = packet.position % fabric_.largest_payload(packet.kind);
    const std::uint64_t flow = (static_cast<std::uint64_t>(packet.stream) << 40) ^ (packet.position - offset) ^
                               (packet.kind == tlp_kind::memory_read ? 1u : 0u);
    const bool whole = offset + packet.length == fabric_.largest_payload(packet.kind) ||
                       packet.position + packet.length >= s.size.count;
    if (d.first)
        trace_->flow_begin(d.track, flow, s.name, begin);
    else if (d.last && whole)
        trace_->flow_end(d.track, flow, s.name, begin);
    else
        trace_->flow_step(d.track, flow, s.name, begin);
}

void fabric_observer::dllps_sent(unsigned id, unsigned count, core::sim_time begin, core::sim_time end) {
    if (!window_.holds(begin)) return;
    trace_->slice(directions_[id].track, "DLLP", begin, end, fmt::format(R"({{"count":{}}})", count));
}

}  // namespace contraflow::pcie
