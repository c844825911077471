// SPDX-License-Identifier: Apache-2.0
#include "lib/suite_if.h"

#include <stdexcept>

#include "lib/run_options.h"

namespace contraflow::lib {

run_options& options_of_run() {
    static run_options options;
    return options;
}

void suite_if::vectors(const std::string&, const test_list&) { throw std::runtime_error("this block has no vectors"); }

bool suite_if::lockstep(std::uint64_t, std::uint64_t) { throw std::runtime_error("this block has no model"); }

}  // namespace contraflow::lib
