// SPDX-License-Identifier: Apache-2.0
// The specification of a torus or mesh whose routers pass packets on word by word. A word has 16 bytes, and a cycle is
// a link's time for a word.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"
#include "net/topology.h"

namespace contraflow::net {

inline constexpr std::uint32_t torus_word_bytes = 16;

struct torus_spec {
    static constexpr unsigned most_nodes = 4096;  // routes are tables: a byte for each pair of nodes

    net::topology topology = net::topology::torus;  // or mesh
    std::vector<std::uint32_t> nodes{4, 4, 4};      // per dimension
    core::bandwidth link_rate = core::bandwidth::from_gb_per_s(4);
    std::uint32_t router = 8;            // cycles
    std::uint32_t wire = 4;              // cycles
    std::uint32_t virtual_channels = 4;  // per class
    std::uint32_t buffer = 576;          // words
    std::uint32_t queue = 4;             // packets
    std::uint32_t transit_turns = 8;     // packets
    std::uint32_t retry_buffer = 64;     // words
    double error_rate = 0;
    std::uint64_t seed = 1;  // seed of the errors; set by the user of the network

    static void describe(config::fields<torus_spec>& f);

    unsigned node_count() const;
    // Cycles from sending a word until the sender has its acknowledgement, or knows that it was damaged.
    unsigned round_trip() const { return 2 * wire + 1; }
    core::sim_time word_time() const;
    core::sim_time router_time() const { return word_time() * router; }
    core::sim_time wire_time() const { return word_time() * wire; }
    // Its form for net/topology.
    network_spec grid() const;
};

std::vector<config::problem> problems_of(const torus_spec& s);

// "x+": the direction in which a link leaves its node.
std::string direction_name(unsigned dimension, bool positive);
// "node5.x+"; the shape must be valid.
std::vector<std::string> torus_link_names(const torus_spec& s);

}  // namespace contraflow::net
