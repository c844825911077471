// SPDX-License-Identifier: Apache-2.0
// The parameters of the TLM model of a PCIe tree, beside the tree itself.
#pragma once

#include <cstdint>

#include "core/units.h"
#include "pcie/dma_engine.h"
#include "pcie/pcie_switch.h"

namespace contraflow::pcie {

struct fabric_spec {
    transfer_mode mode = transfer_mode::push;
    core::bytes max_payload{256};
    core::bytes max_read_request{512};
    core::bytes read_completion_boundary{128};
    std::uint32_t tags = 64;
    core::bytes root_complex_payload{64};
    core::sim_time propagation = core::sim_time::from_ns(5);
    core::sim_time switch_latency = core::sim_time::from_ns(150);
    core::sim_time root_complex_latency = core::sim_time::from_ns(300);
    core::sim_time endpoint_latency = core::sim_time::from_ns(50);
    forwarding mode_of_switches = forwarding::cut_through;
    // Receive buffers of a port, by class.
    std::uint64_t posted_headers = 64;
    core::bytes posted_data{16384};
    std::uint64_t non_posted_headers = 64;
    std::uint64_t completion_headers = 64;
    core::bytes completion_data{16384};
    std::uint64_t replay_tlps = 256;
};

}  // namespace contraflow::pcie
