// SPDX-License-Identifier: Apache-2.0
// A bus analyser at the NICs' links of a cluster: each TLP with its time, and what it is for.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cluster/rdma_cluster.h"
#include "observe/trace.h"

namespace contraflow::torus_nic {

enum class tlp_role : std::uint8_t {
    doorbell,         // and all else that software writes into the NIC's registers
    descriptor_read,  // read of a ring's descriptor, and its completions
    descriptor,
    data_read,  // read of host memory or BAR1, and its completions
    data_in,
    gpu_request,  // 8 bytes into the GPU's mailbox
    gpu_answer,   // 64 bytes into the NIC
    data_out,     // received data
    window_move,
    flush,  // read of the GPU behind received data, and its answer
    flushed,
    record,  // a completion into a ring
    interrupt,
    other
};
std::string_view name_of(tlp_role r);

struct seen_tlp {
    unsigned node = 0;
    core::sim_time begin{}, end{};
    bool from_nic = false;
    tlp_role role = tlp_role::other;
    pcie::tlp_kind kind{};
    std::uint64_t address = 0;  // 0 of completions
    std::uint32_t length = 0;   // bytes of data, carried or asked for
};

// Watches from open() to close(). The cluster outlives it. A trace gets all TLPs of the run; null: none.
class bus_watch {
public:
    bus_watch(host::rdma_cluster& cluster, observe::trace* trace);

    void open() { open_ = true; }
    void close() { open_ = false; }
    const std::vector<seen_tlp>& seen() const { return seen_; }

private:
    class node_watch final : public pcie::port_observer_if {
    public:
        node_watch(bus_watch& owner, unsigned node) : owner_(owner), node_(node) {}
        void tlp_sent(unsigned id, const pcie::tlp& p, core::sim_time begin, core::sim_time end, bool, bool) override;
        void dllps_sent(unsigned, unsigned, core::sim_time, core::sim_time) override {}
        void changed(unsigned, const pcie::port&, core::sim_time) override {}

    private:
        bus_watch& owner_;
        const unsigned node_;
        // Reads that are not answered, but for those of data: the tag, and the role of the answer.
        std::vector<std::pair<std::uint16_t, tlp_role>> reads_;
    };
    tlp_role role_of(host::rdma_node& n, const pcie::tlp& p, bool from_nic) const;

    host::rdma_cluster& cluster_;
    observe::trace* const trace_;
    std::vector<node_watch> nodes_;
    std::vector<seen_tlp> seen_;
    bool open_ = false;
};

}  // namespace contraflow::torus_nic
