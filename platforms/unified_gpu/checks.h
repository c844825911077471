// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration before anything runs, each where it stands.
#pragma once

#include "config/config.h"
#include "unified_gpu/experiment.h"

namespace contraflow::unified_gpu {

void check(config::loaded<experiment>& loaded, config::diagnostics& diag);

}  // namespace contraflow::unified_gpu
