// SPDX-License-Identifier: Apache-2.0
// The pins of the block, as everything that drives or shows them has them.
#pragma once

#include "cosim/pins.h"

namespace contraflow::check {

using cosim::inputs;
using cosim::outputs;
using cosim::pins_if;

}  // namespace contraflow::check
