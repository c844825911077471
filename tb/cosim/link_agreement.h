// SPDX-License-Identifier: Apache-2.0
// Whether a level's lanes, at the end of a window, are those that the link has.
#pragma once

#include <string>

#include "cosim/lane_block.h"

namespace contraflow::cosim {

// Throws a level_difference where they are not. `level`: "RTL".
void expect_agreement(const std::string& link, const char* level, const lane_view& v,
                      const link::window_sample& sample);

}  // namespace contraflow::cosim
