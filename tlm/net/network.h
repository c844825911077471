// SPDX-License-Identifier: Apache-2.0
// A network of reversible links and routers, wired by a topology.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/router.h"
#include "net/topology.h"

namespace contraflow::net {

class network final : public network_if {
public:
    // For two nodes or more; at a switch, in a mesh or torus: one or more. Throws std::invalid_argument if the
    // specification cannot be built.
    network(const std::string& path, const link::reversible_link::resources& shared, const network_spec& s,
            unsigned nodes);

    network_port& port(unsigned node) override { return routers_[node]->port(); }
    const wiring& wires() const { return wiring_; }
    const std::vector<std::unique_ptr<link::reversible_link>>& links() const { return links_; }

    unsigned hops(unsigned from, unsigned to) const override;
    core::sim_time latency(unsigned from, unsigned to) const override;
    void kernel_launched() override;
    void settle() override;
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const override;
    std::uint64_t outstanding() const override;
    std::uint64_t moved() const override;

private:
    const wiring wiring_;
    const core::sim_time link_latency_;
    std::vector<std::unique_ptr<router>> routers_;
    std::vector<std::unique_ptr<link::reversible_link>> links_;
};

}  // namespace contraflow::net
