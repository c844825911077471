// SPDX-License-Identifier: Apache-2.0
// A lane that fails during the run and does not recover.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/fields.h"
#include "core/units.h"
#include "link/lanes/direction.h"

namespace contraflow::numa_gpu {

struct lane_fault {
    std::string link;
    link::direction direction = link::direction::ab;
    core::sim_time at{};

    static void describe(config::fields<lane_fault>& f) {
        f("link", &lane_fault::link).required().text("its name, such as link0, or link0_1 where links join sockets");
        f("direction", &lane_fault::direction)
            .text("a_to_b: away from the socket, or from the one with the lower number; a lane that serves it then");
        f("at", &lane_fault::at).required().text("when");
    }
};

}  // namespace contraflow::numa_gpu

template <> struct contraflow::config::enum_names<contraflow::link::direction> {
    using e = contraflow::link::direction;
    static constexpr std::array names{std::pair{e::ab, "a_to_b"}, std::pair{e::ba, "b_to_a"}};
};
