// SPDX-License-Identifier: Apache-2.0
// The parts of a wave file that only Verilated code uses.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

namespace contraflow::wave {

class wave_file;

// All blocks of a file share a context: their names must differ.
VerilatedContext& context_of(wave_file& file);
VerilatedFstC& trace_of(wave_file& file);

}  // namespace contraflow::wave
