// SPDX-License-Identifier: Apache-2.0
// The parameters of the TLM model of a PCIe tree, without the tree itself. Sources of the defaults:
// docs/assumptions.md.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/pcie_switch.h"

namespace contraflow::pcie {

// How a communication is carried out: the source writes, or the destination reads.
enum class transfer_mode { push, pull };

struct switch_weight {
    std::string node;
    std::vector<unsigned> weights;

    static void describe(config::fields<switch_weight>& f) {
        f("node", &switch_weight::node).required().text("switch or root complex");
        f("weights", &switch_weight::weights)
            .in(1, 1024)
            .unit("TLPs")
            .text("TLPs an input sends in its turn: the port upwards first, then the children");
    }
};

struct fabric_spec {
    transfer_mode transfers = transfer_mode::push;
    core::bytes max_payload{128};
    core::bytes max_read_request{512};
    core::bytes read_completion_boundary{128};
    std::uint32_t tags = 64;
    core::bytes root_complex_payload{64};
    core::sim_time propagation = core::sim_time::from_ns(5);
    core::sim_time switch_latency = core::sim_time::from_ns(100);
    core::sim_time root_complex_latency = core::sim_time::from_ns(150);
    core::sim_time endpoint_latency = core::sim_time::from_ns(50);
    forwarding switching = forwarding::cut_through;
    std::vector<switch_weight> arbitration;
    core::bytes posted_data{3200};
    std::uint64_t posted_headers = 64;
    std::uint64_t non_posted_headers = 64;
    core::bytes non_posted_data{0};  // not configured: only atomic operations carry any
    core::bytes completion_data{3200};
    std::uint64_t completion_headers = 64;
    std::uint64_t replay_tlps = 256;
    core::sim_time completion_timeout{};  // 0: none
    fault_plan faults;
    core::sim_time watchdog = core::sim_time::from_us(200);

    static void describe(config::fields<fabric_spec>& f);
};

}  // namespace contraflow::pcie

template <> struct contraflow::config::enum_names<contraflow::pcie::transfer_mode> {
    static constexpr std::array names{std::pair{contraflow::pcie::transfer_mode::push, "push"},
                                      std::pair{contraflow::pcie::transfer_mode::pull, "pull"}};
};
template <> struct contraflow::config::enum_names<contraflow::pcie::forwarding> {
    static constexpr std::array names{std::pair{contraflow::pcie::forwarding::cut_through, "cut_through"},
                                      std::pair{contraflow::pcie::forwarding::store_and_forward, "store_and_forward"}};
};
