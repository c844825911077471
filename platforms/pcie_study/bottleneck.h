// SPDX-License-Identifier: Apache-2.0
// What limits a run: the busiest links, or what its senders wait for while no link is busy. And what twice of it would
// give, found by running the same sends again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"

namespace contraflow::pcie_study {

struct link_load {
    pcie::port_id port;
    double busy = 0.0;  // share of the time until the last byte
};

// Another way to change the machine than faster links.
struct remedy {
    std::string limit;   // "the receive buffers"
    std::string change;  // "twice the buffers"
    std::function<std::optional<double>()> run;
};

struct bottleneck {
    std::string limit;                   // "sa.up and sb.down at 83 %"
    std::string change;                  // "twice their rate"
    std::vector<pcie::port_id> links;    // those of the limit
    std::vector<pcie::port_id> doubled;  // those that the change makes faster: those of the limit, and maybe more
    double busy = 0.0;                   // of the busiest link
    double end_s = 0.0;
    double changed_s = 0.0;
    std::string waits{};  // "a0.up and 3 more wait for credits up to 81 % of the time"
    // The link that, alone, gives most with twice its rate, where all of `links` have to be faster.
    struct single {
        std::string name;
        double changed_s = 0.0;
    };
    std::optional<single> alone{};
};

// Runs the sends again on another tree; none: that run was stopped, or did not end.
using run_on = std::function<std::optional<double>(const pcie::topology&)>;

// Twice the busiest link; if that gives next to nothing, twice all that are about as busy; then those that limit next,
// with the links behind, and some of these alone. And the remedies. The change that gives most is named. None: nothing
// moved, or a run was stopped.
std::optional<bottleneck> find_bottleneck(const pcie::topology& tree,
                                          const std::vector<pcie::model::communication>& sends,
                                          std::vector<link_load> loads, double end_s, const run_on& run,
                                          const std::vector<remedy>& remedies = {});

// Those that the text names as the limit: none if their rate makes no difference.
std::vector<pcie::port_id> limiting_links(const std::optional<bottleneck>& b);

// "limited by sa.up and sb.down at 83 %; twice their rate would give 3.259 ms, 2.00 times as fast"
std::string to_text(const bottleneck& b);
nlohmann::ordered_json to_json(const pcie::topology& tree, const bottleneck& b);

}  // namespace contraflow::pcie_study
