// SPDX-License-Identifier: Apache-2.0
// How busy each direction of each link of the torus was, and the heat map of it.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "net/torus/torus_network.h"

namespace contraflow::torus_nic {

// Use of one direction of a link while it was measured.
struct link_use {
    unsigned node = 0;
    std::string direction;  // "x+"
    double busy = 0;        // share of its words a cycle
};
double busiest(const std::vector<link_use>& links);

// Counts the words of all links from begin() to end().
class link_meter {
public:
    // The network outlives it.
    explicit link_meter(const net::torus_network& network) : links_(network.links()) {}

    void begin(core::sim_time now);
    void end(core::sim_time now);
    // Empty where nothing was measured.
    std::vector<link_use> result(core::sim_time word_time) const;

private:
    const std::vector<net::torus_link*> links_;
    std::vector<std::uint64_t> before_, words_;
    core::sim_time begin_{}, time_{};
};

// Links by node and direction; the title ends in `when`: "at load 1".
face::chart heat_map(const std::vector<link_use>& links, const std::string& id, const std::string& when);
nlohmann::ordered_json as_json(const std::vector<link_use>& links);

}  // namespace contraflow::torus_nic
