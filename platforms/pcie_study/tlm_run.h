// SPDX-License-Identifier: Apache-2.0
// One run of the TLM model: the communications of an experiment carried out packet by packet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcie/dma/fabric_trace.h"
#include "pcie/dma/stream.h"
#include "pcie/fabric/address_map.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"
#include "runner/run.h"

namespace contraflow::pcie_study {

struct tlm_options {
    runner::limits limits;
    observe::trace* trace = nullptr;
    observe::wave_sink_if* waves = nullptr;
    observe::time_window window{};
};

// The use of one link direction.
struct direction_use {
    pcie::port_id port;
    std::string name;
    std::uint64_t payload_bytes = 0;
    std::uint64_t tlps = 0;
    std::uint64_t dllps = 0;
    std::uint64_t replayed_tlps = 0;
    std::uint64_t replayed_wire_bytes = 0;
    std::uint64_t wire_bytes = 0;  // bytes of DLLPs and of TLPs, replays included
    std::uint64_t corrupted = 0;   // TLPs and DLLPs
    double utilisation = 0;        // share of the time until the last byte
    double payload_share = 0;      // relative to the raw rate
    double credit_stall = 0;       // share of the same time
    double replay_stall = 0;       // share in which its replay buffer was full
};

// The data received by one endpoint, by window of time.
struct tlm_delivery {
    std::string endpoint;
    std::vector<std::pair<core::sim_time, double>> rate;  // beginning of the window, bytes per second
};

struct tlm_result : runner::run_outcome {           // `end`: when the last byte was delivered
    std::vector<pcie::stream> streams;              // in the order of the communications
    std::vector<direction_use> ports;               // directions with traffic
    std::vector<pcie::address_map::row> addresses;  // from the enumeration
    std::vector<tlm_delivery> delivered;            // endpoints that received data
    std::vector<std::string> unmet_faults;          // planned faults that did not occur
    std::uint64_t tlp_hops = 0;
    double makespan_s() const { return end.seconds(); }
    std::uint64_t wrong_bytes() const;  // arrived changed, twice or out of order
};
// For a headline: "every byte right", or the number of wrong ones.
std::string bytes_text(std::uint64_t wrong);

tlm_result run_tlm(const pcie::topology& tree, const pcie::fabric_spec& spec,
                   const std::vector<pcie::model::communication>& communications, const tlm_options& options = {});

}  // namespace contraflow::pcie_study
