// SPDX-License-Identifier: Apache-2.0
// One output port's arbiter: weighted round-robin between the input ports that want it.
// Source: PCI Express Base Specification 3.0, 6.3.3.1. One decision takes no simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace contraflow::pcie {

using request_mask = std::uint64_t;  // bit i: input i

class port_arbiter {
public:
    static constexpr unsigned max_inputs = 64;
    struct spec {
        unsigned inputs = 2;
        std::vector<unsigned> weights;  // TLPs per turn, by input; empty: one each
    };
    explicit port_arbiter(spec s);
    // The input that sends now; none if no input may.
    std::optional<unsigned> next(request_mask wanting);
    void reset() { state_ = {}; }

private:
    unsigned weight(unsigned input) const { return spec_.weights.empty() ? 1 : spec_.weights[input]; }

    spec spec_;
    struct state {
        unsigned turn = 0;  // the input that has its turn
        unsigned used = 0;  // TLPs sent in this turn
    } state_;
};

}  // namespace contraflow::pcie
