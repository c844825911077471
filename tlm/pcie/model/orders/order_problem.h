// SPDX-License-Identifier: Apache-2.0
// In which order should each source send? A problem lists the sends of each source; an order has one permutation of
// them for each source. All sources start at 0 and send one message at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.h"
#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"

namespace contraflow::pcie::model {

struct send_to {
    node_id to = no_node;
    core::bytes size;
    friend bool operator==(const send_to&, const send_to&) = default;
};

struct source_sends {
    node_id from = no_node;
    std::vector<send_to> sends;
};

using order_problem = std::vector<source_sends>;

// For each source of the problem: indices into its list of sends, in the order of sending.
using send_order = std::vector<std::vector<std::uint32_t>>;

// Number of orders; none if it is 2^63 or more. As a double: approximate, but never too large to tell. Orders that only
// exchange equal sends of a source are one order.
std::optional<std::uint64_t> count_orders(const order_problem& problem);
double approximate_orders(const order_problem& problem);

// Of `left` sends of a source with that many different ones, the most that can be chosen among.
inline std::uint64_t choices_of(std::uint64_t left, std::uint64_t different) { return std::min(left, different); }
std::uint64_t different_sends(const source_sends& source);
// Whether every order has a rank of its own below 2^63.
bool has_ranks(const order_problem& problem);

// Conversion between an order and its rank. Ranks are lexicographic by rounds: the first sends of all sources count
// most, then the second ones. Among equal sends of a source the first one left goes first. For problems with ranks.
std::uint64_t rank_of(const order_problem& problem, const send_order& order);
send_order order_at(const order_problem& problem, std::uint64_t rank);

// The sends as a communication graph that starts at 0, named "gpu0->gpu4"; for run_timeline.
std::vector<communication> in_order(const topology& tree, const order_problem& problem, const send_order& order);

}  // namespace contraflow::pcie::model
