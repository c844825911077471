// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the receive datapath: points by group, counted from what was played and seen at the ports.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "nic_rx/rx_bench.h"

namespace contraflow::testing {

enum class group : std::uint8_t {
#define CF_COVER_POINTS(name, ...) name,
#include "nic_rx/suite/cover_points.inc"
#undef CF_COVER_POINTS
    count
};

class cover {
public:
    cover();

    void hit(group g, std::size_t point) { ++counts_.at(static_cast<std::size_t>(g)).at(point); }
    void write(std::ostream& to) const;

    // A whole case, played without a reset in it, with its result.
    void played(const nic::receive_case& c, const nic::receive_result& r);
    // The patterns of the ports.
    void pressure(const rx_bench::behaviour& how);
    // What is under way when a reset or an invalidation comes.
    void state(group g, const rx_bench& b);
    // In which state of the walker an invalidation came.
    void walk(const rx_bench& b);
    // What is under way while the ring is full.
    void full_ring(const rx_bench& b);

private:
    void packets(const nic::receive_case& c);
    void writes(const nic::receive_case& c, const nic::receive_result& r);

    std::vector<std::vector<std::uint64_t>> counts_;  // by group
};

}  // namespace contraflow::testing
