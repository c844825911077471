// SPDX-License-Identifier: Apache-2.0
// A binary tree over the ways points away from what was used last: near LRU for a bit a way.
#pragma once

#include <memory>

#include "memory/cache/replacement_if.h"

namespace contraflow::memory {

std::unique_ptr<replacement_if> make_tree_plru(const replacement_shape& shape);

}  // namespace contraflow::memory
