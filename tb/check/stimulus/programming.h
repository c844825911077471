// SPDX-License-Identifier: Apache-2.0
// Settings as register writes.
#pragma once

#include <vector>

#include "check/bench/bench.h"
#include "check/model/settings.h"
#include "check/stimulus/apb_driver.h"

namespace contraflow::check {

std::vector<register_access> writes_of(const settings& s);
// Writes them without other activity. False if a check fired.
bool program(bench& b, const settings& s);

}  // namespace contraflow::check
