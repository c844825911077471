// SPDX-License-Identifier: Apache-2.0
#include "cosim/controller_level.h"

namespace contraflow::cosim {

std::optional<config::problem> problem_of(controller_level l, const link::lane_spec& s) {
    return l == controller_level::tlm ? std::nullopt : problem_of(s);
}

}  // namespace contraflow::cosim
