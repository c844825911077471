// SPDX-License-Identifier: Apache-2.0
// Lots are drawn; the same seed draws the same.
#pragma once

#include <memory>

#include "memory/cache/replacement_if.h"

namespace contraflow::memory {

std::unique_ptr<replacement_if> make_random(const replacement_shape& shape);

}  // namespace contraflow::memory
