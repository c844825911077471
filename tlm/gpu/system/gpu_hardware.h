// SPDX-License-Identifier: Apache-2.0
// The sockets (of a NUMA GPU, or each of them a GPU) and the network between them, without a dispatcher.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/system/gpu_socket.h"
#include "gpu/system/paged_memory.h"
#include "net/network.h"

namespace contraflow::gpu {

class pcie_network;

class gpu_hardware final : public core::waiter_if, public core::controllable_if, public physical_memory_if {
public:
    // `sinks` give the units of each socket their CTAs. A socket is called "gpu" and the number of its range in the
    // map.
    gpu_hardware(const memory::resources& shared, const gpu_spec& s, const machine_memory& machine,
                 std::span<cta_sink_if* const> sinks, core::sim_time series_window,
                 const link::lane_set_factory& controllers);
    ~gpu_hardware() override;

    // The network between the sockets, null for a single one; and the same if it consists of reversible links.
    net::network_if* packets() const { return network_.get(); }
    net::network* network() const { return links_; }
    // The same if it is a PCIe tree.
    pcie_network* pcie() const { return pcie_; }
    gpu_socket& socket(unsigned i) { return *sockets_[i]; }
    unsigned sockets() const { return static_cast<unsigned>(sockets_.size()); }
    void invalidate_copies();

    // A count that grows while anything moves, and requests that have begun and not ended.
    std::uint64_t moved() const;
    // Whether some wavefront only waits for its instruction's time.
    bool computing() const;
    std::uint64_t outstanding() const;
    bool idle() const;
    void settle();
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    bool control(core::control_verb verb) override;
    void debug_write(std::uint64_t physical, std::span<const std::byte> from) override;
    void debug_read(std::uint64_t physical, std::span<std::byte> to) const override;

private:
    const memory::resources shared_;
    const memory::address_map& map_;
    std::unique_ptr<net::network_if> network_;
    net::network* links_ = nullptr;  // network_ if it consists of reversible links
    pcie_network* pcie_ = nullptr;   // network_ if it is a PCIe tree
    // last member: coroutines of wavefronts must end before the objects they refer to
    std::vector<std::unique_ptr<gpu_socket>> sockets_;
};

}  // namespace contraflow::gpu
