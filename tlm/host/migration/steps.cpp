// SPDX-License-Identifier: Apache-2.0
#include "host/migration/steps.h"

namespace contraflow::host::migration {

std::string_view step_name(step s) {
    static constexpr std::array<std::string_view, step_count> names{"notify", "queue", "close", "drain",   "shootdown",
                                                                    "flush",  "table", "pull",  "restart", "reply"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view kind_name(move_kind k) {
    static constexpr std::array<std::string_view, 3> names{"move", "duplicate", "collapse"};
    return names[static_cast<std::size_t>(k)];
}

}  // namespace contraflow::host::migration
