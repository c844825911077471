// SPDX-License-Identifier: Apache-2.0
// The pins of the block, in the form for all code that drives or shows them.
#pragma once

#include "cosim/pins.h"

namespace contraflow::lane_reversal {

using cosim::inputs;
using cosim::outputs;
using cosim::pins_if;

}  // namespace contraflow::lane_reversal
