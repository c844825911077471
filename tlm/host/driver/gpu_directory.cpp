// SPDX-License-Identifier: Apache-2.0
#include "host/driver/gpu_directory.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::host {

gpu_directory::gpu_directory(unsigned hardware) : hardware_(hardware) {
    if (hardware == 0) throw std::invalid_argument("a machine without GPUs");
    for (unsigned number = 1; number <= hardware; ++number) members_.push_back({number});
}

unsigned gpu_directory::create_unified(std::span<const unsigned> members) {
    if (members.empty()) throw std::invalid_argument("a unified GPU of no GPUs");
    for (auto at = members.begin(); at != members.end(); ++at) {
        if (unified(*at))
            throw std::invalid_argument(
                fmt::format("GPU {} is a unified one; a unified GPU is made of GPUs 1 to {}", *at, hardware_));
        if (*at == 0 || *at > hardware_)
            throw std::invalid_argument(fmt::format("there is no GPU {}, but 1 to {}", *at, hardware_));
        if (std::find(members.begin(), at, *at) != at)
            throw std::invalid_argument(fmt::format("GPU {} twice in one unified GPU", *at));
    }
    members_.emplace_back(members.begin(), members.end());
    return static_cast<unsigned>(members_.size());
}

std::span<const unsigned> gpu_directory::members(unsigned number) const {
    if (number == 0 || number > members_.size())
        throw std::invalid_argument(fmt::format("there is no GPU {}, but 1 to {}", number, members_.size()));
    return members_[number - 1];
}

}  // namespace contraflow::host
