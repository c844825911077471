// SPDX-License-Identifier: Apache-2.0
// Traffic patterns for studies of a network alone: the usual ones on nodes in up to three dimensions.
// Source of the patterns: Dally and Towles, Principles and Practices of Interconnection Networks, 3.2.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/random.h"

namespace contraflow::net {

enum class traffic_pattern {
    uniform,    // any other node
    tornado,    // nearly half the ring away, in each dimension
    transpose,  // coordinates are rotated
    neighbour,  // the next node in the first dimension
    hot_spot,   // a share of all packets to one node, the others to any other
};

struct traffic_spec {
    traffic_pattern pattern = traffic_pattern::uniform;
    std::uint32_t hot_node = 0;
    double hot_share = 0.2;
    std::uint32_t packet_words = 32;
    std::uint64_t warm_up = 20'000;  // cycles
    std::uint64_t measure = 40'000;  // cycles

    static void describe(config::fields<traffic_spec>& f);
};

// `nodes`: per dimension.
std::vector<config::problem> problems_of(const traffic_spec& s, const std::vector<std::uint32_t>& nodes);

class traffic_targets {
public:
    traffic_targets(const traffic_spec& s, const std::vector<std::uint32_t>& nodes);

    // The target of that node's next packet; the node itself: it sends none.
    unsigned next(unsigned from, core::random_source& draw) const;
    bool sends(unsigned from) const { return fixed_.empty() || fixed_[from] != from; }
    unsigned nodes() const { return count_; }

private:
    unsigned any_other(unsigned from, core::random_source& draw) const {
        return static_cast<unsigned>(from + 1 + draw.below(count_ - 1)) % count_;
    }

    const traffic_spec spec_;
    unsigned count_ = 1;
    std::vector<unsigned> fixed_;  // by source; empty: targets are drawn at random
};

}  // namespace contraflow::net

template <> struct contraflow::config::enum_names<contraflow::net::traffic_pattern> {
    using e = contraflow::net::traffic_pattern;
    static constexpr std::array names{std::pair{e::uniform, "uniform"}, std::pair{e::tornado, "tornado"},
                                      std::pair{e::transpose, "transpose"}, std::pair{e::neighbour, "neighbour"},
                                      std::pair{e::hot_spot, "hot_spot"}};
};
