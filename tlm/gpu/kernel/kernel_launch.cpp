// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/kernel_launch.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::gpu {

kernel_launch::kernel_launch(std::string_view name, dim3 grid, dim3 block, const entry& body, core::bytes shared)
    : name_(name),
      grid_(grid),
      block_(block),
      body_(body),
      shared_(shared) {
    if (grid.count() == 0) throw std::invalid_argument(fmt::format("kernel {}: the grid is empty", name_));
    if (block.count() == 0) throw std::invalid_argument(fmt::format("kernel {}: the block is empty", name_));
    if (!body_) throw std::invalid_argument(fmt::format("kernel {} has nothing to run", name_));
}

kernel kernel_launch::start(wave w) const { return body_(w); }

}  // namespace contraflow::gpu
