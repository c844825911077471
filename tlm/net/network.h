// SPDX-License-Identifier: Apache-2.0
// Sockets joined by reversible links: a switch between them, a link for each two, or a ring. Packets between two
// sockets keep their order within a class of traffic; nothing is lost, and nothing can wait in a circle as long as
// every end takes its responses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/control.h"
#include "core/waiting.h"
#include "link/reversible_link.h"
#include "net/network_spec.h"
#include "net/router.h"
#include "net/routes.h"
#include "observe/conservation.h"

namespace contraflow::net {

class network final : public core::controllable_if {
public:
    // Makes the controller of the link of that name; none (null): the one that the specification's policy names.
    using controller_factory = std::function<std::unique_ptr<link::lane_controller_if>(const std::string& link)>;

    network(const link::reversible_link::resources& shared, const network_spec& s, unsigned ends,
            const controller_factory& controllers = {});

    router& at(unsigned end) { return *routers_[end]; }
    const router& at(unsigned end) const { return *routers_[end]; }
    void attach(unsigned end, node_end_if& who) { ends_[end] = &who; }

    // All lanes return to symmetric.
    void kernel_launched();
    const std::vector<std::unique_ptr<link::reversible_link>>& links() const { return links_; }
    const net::plan& plan() const { return plan_; }

    // Packets that were sent and not yet taken.
    std::uint64_t outstanding() const;
    // Hops done by all packets; grows while anything moves.
    std::uint64_t moved() const;
    std::vector<const core::waiter_if*> waiters() const;
    // Before statistics are read.
    void settle();
    // At rest, after settle().
    void check(observe::conservation& checks) const;
    // Of all links; reset hands every packet under way back to its sender.
    bool control(core::control_verb verb) override;

private:
    net::plan plan_;
    std::vector<std::unique_ptr<link::reversible_link>> links_;
    std::vector<node_end_if*> ends_;
    std::vector<std::unique_ptr<router>> routers_;
};

}  // namespace contraflow::net
