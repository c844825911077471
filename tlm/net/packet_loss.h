// SPDX-License-Identifier: Apache-2.0
// Packets that a network loses: each with a probability, in bursts, or by their number at a node. Networks themselves
// lose nothing; a client that recovers from loss asks here for each packet that arrives, and throws it away.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "core/random.h"

namespace contraflow::net {

struct packet_loss_spec {
    double probability = 0;
    std::uint32_t burst = 1;
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> packets;

    static void describe(config::fields<packet_loss_spec>& f) {
        f("probability", &packet_loss_spec::probability)
            .in(0.0, 0.5)
            .unit("losses per packet")
            .text("that a packet, or a burst of them, is lost where it arrives");
        f("burst", &packet_loss_spec::burst)
            .in(1, 1024)
            .unit("packets")
            .text("packets in a row that are lost together");
        f("seed", &packet_loss_spec::seed).text("same seed, same losses");
        f("packets", &packet_loss_spec::packets)
            .unit("packets")
            .text("packets that are lost at each node, by their number among those that arrive there, from 0");
    }
};

class packet_loss {
public:
    // Draws depend only on the seed and the name.
    packet_loss(const packet_loss_spec& s, std::string_view name) : spec_(s), random_(core::seed_of(s.seed, name)) {}

    // Is the next packet lost?
    bool loses() {
        const std::uint64_t number = seen_++;
        if (burst_left_ == 0 && spec_.probability > 0 && random_.unit() <= spec_.probability) burst_left_ = spec_.burst;
        if (burst_left_ > 0) {
            --burst_left_;
            return true;
        }
        return std::ranges::find(spec_.packets, number) != spec_.packets.end();
    }

private:
    const packet_loss_spec spec_;
    core::random_source random_;
    std::uint64_t seen_ = 0;
    std::uint32_t burst_left_ = 0;
};

}  // namespace contraflow::net
