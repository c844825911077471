// SPDX-License-Identifier: Apache-2.0
// Settings as register writes.
#pragma once

#include <vector>

#include "lane_reversal/bench/bench.h"
#include "lane_reversal/model/settings.h"
#include "lib/apb.h"

namespace contraflow::lane_reversal {

std::vector<lib::bus_access> writes_of(const settings& s);
// Writes them without other activity. False if a check fired.
bool program(bench& b, const settings& s);

}  // namespace contraflow::lane_reversal
