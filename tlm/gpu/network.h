// SPDX-License-Identifier: Apache-2.0
// The links and nodes between the sockets, by topology: a switch ("link0" joins socket 0 and the switch), a link for
// each pair ("link0_1"), or a ring. Side a of a link is the socket with the lower number; of the ring's closing link,
// the last socket.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "gpu/network_spec.h"
#include "gpu/packet_router.h"

namespace contraflow::gpu {

class network final : public core::controllable_if, public core::waiter_if {
public:
    // Two sockets or more. A specification that cannot be built is a std::invalid_argument.
    network(const std::string& path, const link::reversible_link::resources& shared, const network_spec& s,
            unsigned sockets);

    // What the links are called, in the order of links().
    static std::vector<std::string> link_names(topology t, unsigned sockets);

    packet_router& router(unsigned socket) { return *routers_[socket]; }
    const std::vector<std::unique_ptr<link::reversible_link>>& links() const { return links_; }
    // Links a packet passes.
    unsigned hops(unsigned from, unsigned to) const;
    // Of an otherwise empty network: what a packet takes beside the time its bits need.
    core::sim_time latency(unsigned from, unsigned to) const;

    void kernel_launched();
    void settle();
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    std::uint64_t outstanding() const;
    std::uint64_t moved() const;

private:
    packet_router& add_router(const std::string& name, unsigned number, bool datelines);
    void join(packet_router& a, packet_router& b, bool dateline);
    void build_switch();
    void build_pairs();
    void build_ring();

    const std::string path_;
    const link::reversible_link::resources shared_;
    const network_spec spec_;
    const unsigned sockets_;
    const std::vector<std::string> names_;
    std::vector<std::unique_ptr<packet_router>> routers_;
    std::vector<std::unique_ptr<link::reversible_link>> links_;
};

}  // namespace contraflow::gpu
