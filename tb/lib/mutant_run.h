// SPDX-License-Identifier: Apache-2.0
// Runs the tests against each of many mutants that one build of the block holds, short tests first, and stops at the
// first failed check. A mutant that passes all tests survives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contraflow::lib {

struct mutant_options {
    std::vector<std::uint32_t> mutants;
    std::vector<std::string> vector_files;
    bool all_tests = true;  // false: only the short ones
};

// One line a mutant on standard output: "mutant N killed by CHECK... in TEST" or "mutant N survived".
void run_mutants(const mutant_options& o);

// Every test against each planted bug; one line a bug, "bug N: CHECK...": all checks that found it, each in the cycle
// in which a test first went wrong.
void run_bugs(const mutant_options& o);

}  // namespace contraflow::lib
