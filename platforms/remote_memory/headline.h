// SPDX-License-Identifier: Apache-2.0
// Answers the question of the platform with the numbers of these runs.
#pragma once

#include "remote_memory/comparison.h"

namespace contraflow::remote_memory {

// `explained`: with the meanings of the policies' names, once per report.
std::vector<std::string> headline_of(const comparison& c, bool explained);

}  // namespace contraflow::remote_memory
