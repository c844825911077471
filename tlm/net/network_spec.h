// SPDX-License-Identifier: Apache-2.0
// How sockets are joined: the topology, and the links it is made of.
#pragma once

#include <array>
#include <utility>

#include "config/fields.h"
#include "link/link_spec.h"

namespace contraflow::net {

enum class topology { switched, full, ring };

struct network_spec {
    net::topology topology = net::topology::switched;
    link::link_spec link;

    static void describe(config::fields<network_spec>& f);
};

}  // namespace contraflow::net

template <> struct contraflow::config::enum_names<contraflow::net::topology> {
    using e = contraflow::net::topology;
    static constexpr std::array names{std::pair{e::switched, "switch"}, std::pair{e::full, "full"},
                                      std::pair{e::ring, "ring"}};
};
