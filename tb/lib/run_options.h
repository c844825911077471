// SPDX-License-Identifier: Apache-2.0
// What the command line of the bench's program says about the block itself, before it is made.
#pragma once

#include <cstdint>
#include <string>

namespace contraflow::lib {

struct run_options {
    std::uint64_t contents_seed = 1;  // of registers and memories before the first reset
    std::string wave_file;            // of all signals of the run, in a build for waves; empty: none
    // Random tests do only what a replay of the pins, edge by edge, repeats: no bit of a memory changes by itself, and
    // a reset has an edge.
    bool by_pins = false;
};
run_options& options_of_run();

}  // namespace contraflow::lib
