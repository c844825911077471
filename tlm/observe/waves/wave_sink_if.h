// SPDX-License-Identifier: Apache-2.0
// Receives signals over time: a file that is written at once, or a recording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/units.h"

namespace contraflow::observe {

struct signal_id {
    std::uint32_t index = 0;
};

// The caller keeps a null pointer if there are no waves: one branch.
class wave_sink_if {
public:
    virtual ~wave_sink_if() = default;
    // "gpu[0].l2.entries": the last part names the signal, the others its scopes; 1 to 64 bits. A name that is taken
    // or malformed, a width out of range, or a signal added after the first set is a std::logic_error.
    virtual signal_id add(std::string dotted_name, unsigned bits) = 0;
    // Times must not run backwards; bits above the signal's width are cut off. A signal is 0 until it is first set.
    virtual void set(signal_id signal, core::sim_time now, std::uint64_t value) = 0;
    // A named event, for sinks that show the signals around it.
    virtual void event(std::string_view /*name*/, core::sim_time /*now*/) {}
};

}  // namespace contraflow::observe
