// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/tlm_run.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "core/counted.h"
#include "observe/waves/signal_outputs.h"
#include "pcie/dma/fabric.h"

namespace contraflow::pcie_study {
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
        row.replay_stall = s.replay_stall.mean(end);
    }
    return row;
}

class fabric_bench final : public runner::bench {
public:
    fabric_bench(const pcie::topology& tree, const pcie::fabric_spec& spec,
                 const std::vector<pcie::model::communication>& communications, const tlm_options& o,
                 tlm_result& result)
        : bench(core::time_source::scheduler),
          tree_(tree),
          fabric_(simulation, tree, spec, streams_of(communications)),
          result_(result),
          signals_(o.trace, o.waves, o.window) {
        for (const auto& c : communications) total_ += c.size.count;
        if (signals_.sink() != nullptr)
            observer_ = std::make_unique<pcie::fabric_observer>(fabric_, o.trace, signals_.sink(), o.window);
    }

    std::vector<const core::waiter_if*> waiters() const override {
        const auto all = fabric_.waiters();
        return {all.begin(), all.end()};
    }
    std::uint64_t moved() override { return fabric_.tlps_moved(); }
    std::uint64_t outstanding() override { return fabric_.streams_outstanding(); }
    std::uint64_t done() override { return fabric_.bytes_delivered(); }
    std::uint64_t total() override { return total_; }

    core::sim_time end_of(core::sim_time now, bool finished) override {
        return finished ? last_delivery(fabric_.streams()) : now;
    }
    void sum_up(core::sim_time end) override {
        tlm_result& r = result_;
        r.streams = fabric_.streams();
        r.addresses = fabric_.map().listing();
        for (pcie::node_id id = 1; id < tree_.size(); ++id)
            for (const bool up : {true, false}) {
                auto row = summarise(fabric_, {id, up}, end);
                row.corrupted += fabric_.sender({id, !up}).statistics().corrupted_tlps.value();
                if (row.tlps + row.dllps != 0) r.ports.push_back(std::move(row));
            }
        for (const auto id : tree_.endpoints()) {
            const auto& delivered = fabric_.at(id).delivered();
            tlm_delivery d{tree_[id].name, {}};
            for (const auto& p : delivered.points())
                d.rate.emplace_back(p.begin, p.amount / delivered.window().seconds());
            if (!d.rate.empty()) r.delivered.push_back(std::move(d));
        }
        r.unmet_faults = fabric_.unmet_faults(end);
        r.tlp_hops = fabric_.tlps_moved();
    }
    void rethrow(bool) override {
        if (const std::string fault = fabric_.fault(); !fault.empty()) throw std::runtime_error(fault);
    }
    std::vector<observe::stat_row> rows(core::sim_time end) override { return fabric_.statistics().rows(end); }
    void check(observe::conservation& checks) override { fabric_.check(checks); }

private:
    const pcie::topology& tree_;
    pcie::fabric fabric_;
    tlm_result& result_;
    std::uint64_t total_ = 0;
    observe::signal_outputs signals_;
    std::unique_ptr<pcie::fabric_observer> observer_;
};

}  // namespace

std::uint64_t tlm_result::wrong_bytes() const {
    std::uint64_t wrong = 0;
    for (const auto& s : streams) wrong += s.wrong;
    return wrong;
}

std::string bytes_text(std::uint64_t wrong) {
    return wrong == 0 ? "every byte right" : core::counted(wrong, "byte") + " WRONG";
}

tlm_result run_tlm(const pcie::topology& tree, const pcie::fabric_spec& spec,
                   const std::vector<pcie::model::communication>& communications, const tlm_options& options) {
    tlm_result r;
    runner::run(std::make_unique<fabric_bench>(tree, spec, communications, options, r), options.limits, r);
    return r;
}

}  // namespace contraflow::pcie_study
