// SPDX-License-Identifier: Apache-2.0
// The factors of all communications of a graph at one moment, by rules A to D.
#pragma once

#include <string>
#include <vector>

#include "pcie/model/communication.h"
#include "pcie/model/network.h"
#include "pcie/model/solver.h"

namespace contraflow::pcie::model {

struct factor {
    double factor = 0.0;       // share of the narrowest link on its path; 0: waits for its source
    double rate = 0.0;         // the same relative to the network's reference
    std::vector<loss> losses;  // the largest first; `behind` is an index in the list of communications
    hold why() const { return losses.empty() ? hold{} : losses.front().cause; }
};

struct port_load {
    port_id port;
    double load = 0.0;  // sum of the rates over the port, relative to its capacity
};

struct factor_set {
    std::vector<factor> communications;  // in the order of the list
    std::vector<port_load> ports;        // those in use
    std::vector<port_load> overloads;    // where the published formula exceeds the port's capacity (by over 1e-9)
};

// All communications as if issued together, in order of start_s and then of the list (rule A).
// Throws std::invalid_argument if an end is no node, both ends are the same, or no path joins them.
factor_set evaluate_factors(const network& net, const std::vector<communication>& communications);

// A warning that names the port and the sum.
std::string overload_text(const network& net, const port_load& overload);

// The path; or throws std::invalid_argument that names both ends and what would join them.
path_id find_path(path_table& paths, node_id from, node_id to);

}  // namespace contraflow::pcie::model
