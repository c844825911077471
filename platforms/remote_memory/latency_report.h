// SPDX-License-Identifier: Apache-2.0
// How long loads take, where they spend it, and the path of one.
#pragma once

#include "remote_memory/comparison.h"

namespace contraflow::remote_memory {

void add_latency(const comparison& c, face::section& to);
void add_path(const comparison& c, face::section& to);

}  // namespace contraflow::remote_memory
