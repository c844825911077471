// SPDX-License-Identifier: Apache-2.0
#include "net/network_spec.h"

namespace contraflow::net {

void network_spec::describe(config::fields<network_spec>& f) {
    f("topology", &network_spec::topology)
        .text("switch: a link from each socket to a switch; full: one between each two; ring: one to each neighbour");
    f("link", &network_spec::link).text("each of the links");
}

}  // namespace contraflow::net
