// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/tlm_run.h"

#include <algorithm>
#include <memory>

#include "pcie/dma/fabric.h"

namespace contraflow::pcie_tree {
namespace {

std::vector<pcie::stream> streams_of(const std::vector<pcie::model::communication>& communications) {
    std::vector<pcie::stream> streams;
    streams.reserve(communications.size());
    for (const auto& c : communications) {
        pcie::stream s;
        s.name = c.name;
        s.from = c.from;
        s.to = c.to;
        s.size = c.size;
        s.start = core::sim_time::from_seconds(c.start_s);
        streams.push_back(std::move(s));
    }
    return streams;
}

core::sim_time last_delivery(const std::vector<pcie::stream>& streams) {
    core::sim_time last{};
    for (const auto& s : streams)
        if (s.done()) last = std::max(last, s.finished);
    return last;
}

direction_use summarise(const pcie::fabric& f, pcie::port_id id, core::sim_time end) {
    const pcie::port& p = f.sender(id);
    const auto& s = p.statistics();
    direction_use row;
    row.port = id;
    row.name = f.tree().port_name(id);
    row.payload_bytes = s.payload_bytes.value();
    row.tlps = s.tlps.value();
    row.dllps = s.dllps.value();
    row.replayed_tlps = s.replayed_tlps.value();
    row.replayed_wire_bytes = s.replayed_wire_bytes.value();
    row.wire_bytes = s.tlp_wire_bytes.value() + s.dllp_wire_bytes.value();
    row.corrupted = s.corrupted_dllps.value();
    if (end.ps != 0) {
        row.utilisation = std::min(1.0, f.utilisation(id, end));
        row.payload_share =
            static_cast<double>(row.payload_bytes) / (f.tree().link_above(id.node).bytes_per_s * end.seconds());
        row.credit_stall = s.credit_stall.mean(end);
    }
    return row;
}

}  // namespace

tlm_result run_tlm(const pcie::topology& tree, const pcie::fabric_spec& spec,
                   const std::vector<pcie::model::communication>& communications, const tlm_options& options) {
    core::simulation simulation;
    pcie::fabric fabric(simulation, tree, spec, streams_of(communications));
    std::unique_ptr<pcie::fabric_observer> observer;
    if (options.trace != nullptr || options.waves != nullptr)
        observer = std::make_unique<pcie::fabric_observer>(fabric, options.trace, options.waves, options.window);

    std::uint64_t total = 0;
    for (const auto& c : communications) total += c.size.count;
    observe::watchdog dog(simulation, spec.watchdog);
    for (const auto* w : fabric.waiters()) dog.watch(*w);
    dog.set_progress([&] { return fabric.tlps_moved(); });
    dog.set_outstanding([&] { return fabric.streams_outstanding(); });

    tlm_result r;
    r.verdict = dog.run(options.limit, [&] {
        if (options.progress) options.progress(simulation.events().now(), fabric.bytes_delivered(), total);
        return !options.keep_going || options.keep_going();
    });
    r.standstill = dog.hang();
    if (r.verdict == observe::watchdog::verdict::stalled || r.verdict == observe::watchdog::verdict::ran_dry)
        r.wait_chain = dog.wait_chain();
    r.streams = fabric.streams();
    r.addresses = fabric.map().listing();
    r.end = r.complete() ? last_delivery(r.streams) : simulation.events().now();
    for (pcie::node_id id = 1; id < tree.size(); ++id)
        for (const bool up : {true, false}) {
            auto row = summarise(fabric, {id, up}, r.end);
            row.corrupted += fabric.sender({id, !up}).statistics().corrupted_tlps.value();
            if (row.tlps + row.dllps != 0) r.ports.push_back(std::move(row));
        }
    for (const auto id : tree.endpoints()) {
        const auto& delivered = fabric.at(id).delivered();
        tlm_delivery d{tree[id].name, {}};
        for (const auto& p : delivered.points()) d.rate.emplace_back(p.begin, p.amount / delivered.window().seconds());
        if (!d.rate.empty()) r.delivered.push_back(std::move(d));
    }
    if (r.complete()) {
        observe::conservation checks;
        fabric.check(checks);
        r.conservation = checks.checks();
    }
    r.unmet_faults = fabric.unmet_faults(r.end);
    r.statistics = fabric.statistics().rows(r.end);
    r.tlp_hops = fabric.tlps_moved();
    r.callbacks = simulation.events().executed();
    return r;
}

}  // namespace contraflow::pcie_tree
