// SPDX-License-Identifier: Apache-2.0
// One run of the TLM model: the communications of an experiment carried out packet by packet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "face/run_context.h"
#include "observe/conservation.h"
#include "observe/watchdog.h"
#include "pcie/address_map.h"
#include "pcie/dma/fabric_trace.h"
#include "pcie/fabric_spec.h"
#include "pcie/model/communication.h"
#include "pcie/stream.h"
#include "pcie/topology.h"

namespace contraflow::pcie_tree {

struct tlm_options {
    core::sim_time limit = core::sim_time::never();
    observe::trace* trace = nullptr;
    observe::wave_sink_if* waves = nullptr;
    pcie::time_window window{};
    std::function<bool()> keep_going;                                            // asked now and then
    std::function<void(core::sim_time, std::uint64_t, std::uint64_t)> progress;  // bytes delivered, of so many
};

// What one link direction did.
struct direction_use {
    pcie::port_id port;
    std::string name;
    std::uint64_t payload_bytes = 0;
    std::uint64_t tlps = 0;
    std::uint64_t dllps = 0;
    std::uint64_t replayed_tlps = 0;
    std::uint64_t replayed_wire_bytes = 0;
    std::uint64_t wire_bytes = 0;  // of TLPs, replays included, and DLLPs
    std::uint64_t corrupted = 0;   // TLPs and DLLPs
    double utilisation = 0;        // share of the time until the last byte
    double payload_share = 0;      // of the raw rate
    double credit_stall = 0;       // share of that time
};

// What arrived at one endpoint, by window of time.
struct tlm_delivery {
    std::string endpoint;
    std::vector<std::pair<core::sim_time, double>> rate;  // beginning of the window, bytes per second
};

struct tlm_result {
    observe::watchdog::verdict verdict = observe::watchdog::verdict::finished;
    std::string standstill;                         // of a run without progress: since when
    std::vector<std::string> wait_chain;            // and who waits for whom
    std::vector<pcie::stream> streams;              // in the order of the communications
    std::vector<direction_use> ports;               // those that carried anything
    std::vector<pcie::address_map::row> addresses;  // as the tree was enumerated
    std::vector<tlm_delivery> delivered;            // those where anything did
    std::vector<observe::stat_row> statistics;
    std::vector<observe::conservation_check> conservation;
    std::vector<std::string> unmet_faults;  // planned, and never came
    core::sim_time end{};                   // of the last byte delivered
    std::uint64_t tlp_hops = 0;
    std::uint64_t callbacks = 0;
    bool complete() const { return verdict == observe::watchdog::verdict::finished; }
    double makespan_s() const { return end.seconds(); }
};

tlm_result run_tlm(const pcie::topology& tree, const pcie::fabric_spec& spec,
                   const std::vector<pcie::model::communication>& communications, const tlm_options& options = {});

}  // namespace contraflow::pcie_tree
