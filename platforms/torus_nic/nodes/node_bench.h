// SPDX-License-Identifier: Apache-2.0
// Nodes with NICs on the torus, and their programs: what all experiments with nodes run in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "host/cluster/rdma_cluster.h"
#include "nic_levels/receive_level.h"
#include "observe/waves/signal_outputs.h"
#include "runner/bench.h"
#include "runner/run.h"
#include "torus_nic/experiment/experiment.h"
#include "torus_nic/nodes/bus_watch.h"
#include "torus_nic/nodes/link_use.h"

namespace contraflow::torus_nic {

// What else a run takes; null: nothing.
struct run_view {
    const iss::elf_file* program = nullptr;  // of all cores; null: the one that is built in
    observe::trace* trace = nullptr;
    observe::wave_sink_if* waves = nullptr;
    iss::gdb_server* debugger = nullptr;  // debugs the first node's core
    std::vector<unsigned> nodes;          // those whose NICs are among the waves, and whose cores are traced

    // Another run with the same program, which nobody sees.
    run_view unseen() const { return {program, nullptr, nullptr, nullptr, {}}; }
};

// The results of every run of nodes.
struct node_result : runner::run_outcome {
    nic_levels::level_difference between;                     // of two levels in lockstep
    nic_levels::rtl_recordings rtl;                           // of NICs whose waves are wanted
    std::uint64_t damaged = 0, resent = 0, lost_credits = 0;  // words of links of the torus
    std::vector<std::string> unmet_faults;                    // planned faults that did not occur
    nic_levels::core_profile profile;                         // sum over all cores
    std::vector<link_use> links;
    std::vector<pcie::address_map::row> addresses;  // the tree of a node; all nodes have the same one
};

class node_bench : public runner::bench {
public:
    // Begins the programs, when the drivers are ready.
    virtual void begin() = 0;

    std::vector<const core::waiter_if*> waiters() const final { return {&cluster}; }
    std::uint64_t moved() final { return cluster.moved(); }
    std::uint64_t outstanding() final;
    void start(std::function<void()>) final;
    std::vector<runner::intervention> interventions() final;
    void sum_up(core::sim_time end) override;
    void rethrow(bool finished) final;
    bool is_fault(const std::exception& e) const final;
    void check(observe::conservation& checks) final { cluster.check(checks); }

protected:
    // The node's transmit side may be another than the experiment's. Both outlive it.
    node_bench(const experiment& e, const host::rdma_node_spec& node, const run_view& view, node_result& result);

    host::rdma_process& process(unsigned node) { return cluster.node(node).process(); }
    core::scheduler& events() { return simulation.events(); }
    core::sim_time now() { return simulation.events().now(); }
    // Total time of all look-ups of that node's core so far; none: it has no core, or it is compared.
    std::optional<core::sim_time> lookup_time(unsigned node);

    const experiment& settings;

private:
    void show(const run_view& view);

    observe::signal_outputs signals_;  // of NICs that are shown: waves, and counters of the trace
    const iss::elf_file program_;
    nic_levels::core_options core_;
    nic::datapath_factory make_receive_;
    nic::core_factory make_core_;  // one core for both sides of the NIC

protected:
    host::rdma_cluster cluster;
    link_meter meter;
    std::unique_ptr<bus_watch> bus;  // null: nobody wants to see TLPs

private:
    node_result& result_;
};

// The address map of a node's tree, once a report, whatever the number of runs.
void add_addresses(face::report_data& report, const node_result& r);

// For reports: which model each part was.
std::vector<std::pair<std::string, std::string>> levels_of(const experiment& e);

// For the report of a run, called `what`: damage that links have mended, and planned faults that did not occur.
void tell_faults(face::report_data& report, const std::string& what, const node_result& r);

// A run of such a bench: limits as given, and the end at the first difference of two levels, or by the debugger.
void run_nodes(std::unique_ptr<node_bench> on, const runner::limits& limits, node_result& r);

}  // namespace contraflow::torus_nic
