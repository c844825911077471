// SPDX-License-Identifier: Apache-2.0
#include "cosim/wrong_cores.h"

#include "Vlane_core_keeps.h"
#include "Vlane_core_wrong_way.h"
#include "cosim/verilated_core.h"

namespace contraflow::cosim {

std::unique_ptr<lane_core_if> make_core_that_keeps_lanes(unsigned) {
    return std::make_unique<verilated_core<Vlane_core_keeps>>();
}
std::unique_ptr<lane_core_if> make_core_that_turns_the_wrong_way(unsigned) {
    return std::make_unique<verilated_core<Vlane_core_wrong_way>>();
}

}  // namespace contraflow::cosim
