// SPDX-License-Identifier: Apache-2.0
// How the sockets are joined, and by what links.
#pragma once

#include "config/fields.h"
#include "link/link_spec.h"

namespace contraflow::gpu {

enum class topology {
    central_switch,   // a link from each socket to a switch; its ends a: sockets
    fully_connected,  // a link for each pair of sockets
    ring,             // a link to each neighbour; packets take the shorter way round
};

struct network_spec {
    gpu::topology topology = topology::central_switch;
    link::link_spec link;
    static void describe(config::fields<network_spec>& f);
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::topology> {
    static constexpr std::array names{std::pair{contraflow::gpu::topology::central_switch, "switch"},
                                      std::pair{contraflow::gpu::topology::fully_connected, "fully_connected"},
                                      std::pair{contraflow::gpu::topology::ring, "ring"}};
};
