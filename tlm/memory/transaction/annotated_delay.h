// SPDX-License-Identifier: Apache-2.0
// The delay of a transport call in the project's own time.
#pragma once

#include <systemc>

#include "core/units.h"

namespace contraflow::memory {

// SystemC's resolution is a picosecond.
inline core::sim_time time_of(const sc_core::sc_time& t) { return {t.value()}; }

}  // namespace contraflow::memory
