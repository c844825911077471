// SPDX-License-Identifier: Apache-2.0
// One run of the TLM model: the communications of an experiment carried out packet by packet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcie/address_map.h"
#include "pcie/dma/fabric_trace.h"
#include "pcie/fabric_spec.h"
#include "pcie/model/communication.h"
#include "pcie/stream.h"
#include "pcie/topology.h"
#include "runner/run.h"

namespace contraflow::pcie_study {

struct tlm_options {
    runner::limits limits;
    observe::trace* trace = nullptr;
    observe::wave_sink_if* waves = nullptr;
    pcie::time_window window{};
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

struct tlm_result : runner::run_outcome {           // `end`: of the last byte delivered
    std::vector<pcie::stream> streams;              // in the order of the communications
    std::vector<direction_use> ports;               // those that carried anything
    std::vector<pcie::address_map::row> addresses;  // as the tree was enumerated
    std::vector<tlm_delivery> delivered;            // those where anything did
    std::vector<std::string> unmet_faults;          // planned, and never came
    std::uint64_t tlp_hops = 0;
    double makespan_s() const { return end.seconds(); }
};

tlm_result run_tlm(const pcie::topology& tree, const pcie::fabric_spec& spec,
                   const std::vector<pcie::model::communication>& communications, const tlm_options& options = {});

}  // namespace contraflow::pcie_study
