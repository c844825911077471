// SPDX-License-Identifier: Apache-2.0
// The line goes that was not used for longest.
#pragma once

#include <memory>

#include "memory/cache/replacement_if.h"

namespace contraflow::memory {

std::unique_ptr<replacement_if> make_lru(const replacement_shape& shape);

}  // namespace contraflow::memory
