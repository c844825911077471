// SPDX-License-Identifier: Apache-2.0
#include "memory/milestones.h"

namespace contraflow::memory {

std::string_view stage_name(stage s) {
    static constexpr std::array<std::string_view, stage_count> names{
        "coalescer", "l1",   "merge",       "crossbar",          "link_queue",          "link",         "l2",
        "remote_l2", "dram", "remote_dram", "response_crossbar", "response_link_queue", "response_link"};
    return names[static_cast<std::size_t>(s)];
}

}  // namespace contraflow::memory
