// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/nodes/node_bench.h"

#include <algorithm>

#include <fmt/format.h>

#include "nic_levels/firmware_datapath.h"
#include "pcie_report/address_table.h"

namespace contraflow::torus_nic {

node_bench::node_bench(const experiment& e, const host::rdma_node_spec& node, const run_view& view, node_result& result)
    : bench(core::time_source::scheduler),
      settings(e),
      signals_(view.trace, view.waves, {}),
      program_(view.program != nullptr ? *view.program : nic_levels::built_in_firmware()),
      core_{e.receive.core, &program_, nullptr, nullptr, &result.profile},
      make_receive_([this, make = receive_factory(e.receive.chosen(), core_, result.between, &result.rtl), &view,
                     at = host::torus_positions(e.torus.nodes)](nic::datapath_place place) {
          // RTL and cores with a receiver of their signals record all of them, so they have one only for waves.
          const bool has_one = settings.receive.level == nic_levels::receive_level::tlm || view.waves != nullptr;
          if (has_one && std::ranges::find(view.nodes, at.number(place.node)) != view.nodes.end())
              place.waves = signals_.sink();
          return make(place);
      }),
      make_core_(firmware_core(core_)),
      cluster("", simulation.events(), statistics, {node, torus_of(e)},
              host::rdma_node::parts{make_receive_, has_core(e.receive.chosen()) ? &make_core_ : nullptr}),
      meter(cluster.torus()),
      result_(result) {
    show(view);
}

void node_bench::show(const run_view& view) {
    cluster.set_trace(view.trace);
    if (view.trace != nullptr) bus = std::make_unique<bus_watch>(cluster, view.trace);
    for (const unsigned n : view.nodes) {
        nic::rdma_nic& nic = cluster.node(n).nic();
        if (signals_.sink() != nullptr) nic.transmit().set_waves(*signals_.sink());
        auto* const with_firmware = dynamic_cast<nic_levels::nic_core*>(&nic.core());
        if (with_firmware == nullptr) continue;
        if (view.waves != nullptr) with_firmware->set_waves(*view.waves, std::string(nic.function().name()) + ".core");
        with_firmware->core().set_trace(view.trace);
        if (n == view.nodes.front()) with_firmware->core().set_debugger(view.debugger);
    }
}

bool node_bench::is_fault(const std::exception& e) const {
    return dynamic_cast<const iss::firmware_crash*>(&e) != nullptr;
}

std::uint64_t node_bench::outstanding() {
    std::uint64_t busy = cluster.outstanding();
    for (unsigned n = 0; n < cluster.nodes(); ++n) busy += process(n).finished() ? 0 : 1;
    return busy;
}

void node_bench::start(std::function<void()>) {
    core::sim_time usable = now();
    for (unsigned n = 0; n < cluster.nodes(); ++n) usable = std::max(usable, cluster.node(n).gpu_usable());
    events().at(
        usable, [](void* of, std::uint64_t) { static_cast<node_bench*>(of)->begin(); }, this);
}

// Each run has them.
std::vector<runner::intervention> node_bench::interventions() {
    std::vector<runner::intervention> all;
    for (const lost_credit& lost : settings.lost_credits)
        for (auto* const l : cluster.torus().links())
            if (l->path() == "torus." + lost.link)
                all.push_back(
                    {lost.at, [l, channel = lost_credit_channel(settings.torus, lost)] { l->lose_credit(channel); }});
    return all;
}

void node_bench::sum_up(core::sim_time end) {
    result_.links = meter.result(settings.torus.word_time());
    result_.addresses = cluster.node(0).tree().map().listing();
    for (const auto* l : cluster.torus().links()) {
        result_.damaged += l->protection().damaged();
        result_.resent += l->protection().resent();
        result_.lost_credits += l->statistics().lost_credits.value();
    }
    for (unsigned n = 0; n < cluster.nodes(); ++n)
        for (const std::string& text : cluster.node(n).tree().unmet_faults(end))
            result_.unmet_faults.push_back(fmt::format("node {}: {}", n, text));
}

void tell_faults(face::report_data& report, const std::string& what, const node_result& r) {
    if (r.damaged != 0)
        report.headline.push_back(
            fmt::format("{}: {} damaged words were found by CRC on links of the torus, and {} words were sent again.",
                        what, r.damaged, r.resent));
    for (const std::string& text : r.unmet_faults)
        report.warnings.push_back(fmt::format("{}: a planned fault did not occur: {}", what, text));
}

void node_bench::rethrow(bool) {
    for (unsigned n = 0; n < cluster.nodes(); ++n) process(n).rethrow();
}

std::optional<core::sim_time> node_bench::lookup_time(unsigned node) {
    auto* const with_core = dynamic_cast<nic_levels::firmware_datapath*>(&cluster.node(node).nic().receive());
    if (with_core == nullptr) return std::nullopt;
    return core::sim_time{with_core->core().lookup_time()};
}

void add_addresses(face::report_data& report, const node_result& r) {
    constexpr const char* id = "addresses";
    if (r.addresses.empty() || std::ranges::any_of(report.sections, [](const auto& s) { return s.id == id; })) return;
    report.sections.push_back(
        {id,
         "PCIe address map",
         {pcie_report::address_table(r.addresses, id, "PCIe address map of each node, as the tree was enumerated")}});
}

std::vector<std::pair<std::string, std::string>> levels_of(const experiment& e) {
    return {{"receive", title_of(e.receive.chosen())},
            {"transmit", has_core(e.receive.chosen()) ? "TLM and firmware" : "TLM and a table of times"},
            {"PCIe", "TLM, credit-accurate"},
            {"network", "TLM, word by word"}};
}

void run_nodes(std::unique_ptr<node_bench> on, const runner::limits& limits, node_result& r) {
    runner::limits l = limits;
    l.keep_going = [&] { return !r.between.ended && (!limits.keep_going || limits.keep_going()); };
    try {
        runner::run(std::move(on), l, r);
    } catch (const iss::killed_by_debugger& e) {
        r.verdict = observe::watchdog::verdict::stopped;
        r.stopped_while = e.meanwhile();
    }
    r.difference = r.between.text;
}

}  // namespace contraflow::torus_nic
