// SPDX-License-Identifier: Apache-2.0
// A configuration that a platform ships, as a row measures it.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.h"

namespace contraflow::validate {

// With changes as on the command line, "node.nic_at=other_socket". What is wrong becomes a std::runtime_error.
template <class Experiment>
Experiment shipped_configuration(const char* name, const char* yaml, const std::vector<std::string>& sets = {}) {
    config::diagnostics diag;
    auto loaded = config::load<Experiment>(config::source{name, yaml}, sets, diag);
    if (diag.failed()) {
        std::ostringstream said;
        diag.print(said);
        throw std::runtime_error(said.str());
    }
    return std::move(loaded.value);
}

}  // namespace contraflow::validate
