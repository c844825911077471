// SPDX-License-Identifier: Apache-2.0
// What a debugger and a core tell each other.
#pragma once

#include <cstdint>

namespace contraflow::iss {

enum class watch_kind : std::uint8_t { write, read, access };

struct stop_reason {
    enum class kind : std::uint8_t { begin, step, breakpoint, watchpoint, asked, crash };
    kind what = kind::begin;
    watch_kind watched = watch_kind::write;
    std::uint32_t address = 0;  // address of the watched access
};

enum class resume : std::uint8_t { go_on, step, detach, kill };

}  // namespace contraflow::iss
