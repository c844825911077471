// SPDX-License-Identifier: Apache-2.0
// A network of reversible links and nodes, by topology: a switch ("link0" joins socket 0 and the switch), a link for
// each pair ("link0_1"), a ring, or a mesh. Side a of a link is the socket with the lower number; of the ring's closing
// link, the last socket.
// Why nothing locks: requests and responses have virtual channels of their own, and responses are always taken at their
// end; so it is enough that no channels of one class wait for one another in a circle. Through a switch and between
// pairs there is no way back to a channel once left. In a ring a packet that crosses the dateline changes to a second
// channel, which none can leave for the first. In a mesh a packet goes along its row before its column, and never from
// a column back into a row; within a row or a column it doesn't turn round: of the four turns that a circle needs in
// either sense, two never happen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/network_spec.h"
#include "gpu/packet_router.h"

namespace contraflow::gpu {

class network final : public packet_network_if {
public:
    // Two sockets or more. A specification that cannot be built is a std::invalid_argument.
    network(const std::string& path, const link::reversible_link::resources& shared, const network_spec& s,
            unsigned sockets);

    // What the links are called, in the order of links().
    static std::vector<std::string> link_names(const network_spec& s, unsigned sockets);

    network_port_if& port(unsigned socket) override { return *routers_[socket]; }
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
    packet_router& add_router(const std::string& name, unsigned number, bool datelines);
    void join(packet_router& a, packet_router& b, bool dateline = false);
    void build_switch();
    void build_pairs();
    void build_ring();
    void build_mesh();

    const std::string path_;
    const link::reversible_link::resources shared_;
    const network_spec spec_;
    const unsigned sockets_;
    const std::vector<std::string> names_;
    std::vector<std::unique_ptr<packet_router>> routers_;
    std::vector<std::unique_ptr<link::reversible_link>> links_;
};

}  // namespace contraflow::gpu
