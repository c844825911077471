// SPDX-License-Identifier: Apache-2.0
// Sizes, latencies and rates of a GPU's peer-to-peer side, and two generations of GPUs as presets. Source of the
// presets: R. Ammendola et al., "GPU peer-to-peer techniques applied to a cluster interconnect" (read ceilings, head
// latency); other values are assumed, see README.md.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::gpu {

enum class peer_generation : std::uint8_t { fermi, kepler };

struct peer_spec {
    core::bytes memory{64u << 20};
    std::uint32_t requesters = 1;
    std::uint32_t read_queue = 64;
    core::sim_time read_latency = core::sim_time::from_ns(1500);
    core::bandwidth read_rate = core::bandwidth::from_gib_per_s(1.5);
    core::sim_time window_move = core::sim_time::from_ns(5400);  // fitted, docs/assumptions.md
    core::bytes aperture{256u << 20};
    std::uint32_t aperture_queue = 32;
    core::sim_time aperture_latency = core::sim_time::from_ns(1500);
    core::bandwidth aperture_rate = core::bandwidth::from_gb_per_s(0.15);
    core::sim_time map_time = core::sim_time::from_us(1000);
    core::sim_time unmap_time = core::sim_time::from_us(1000);

    core::bandwidth copy_rate = core::bandwidth::from_gb_per_s(5.5);
    std::uint32_t copy_queue = 256;

    static peer_spec of(peer_generation g);
    static void describe(config::fields<peer_spec>& f);
};

// {preset: kepler, read_queue: 32}: a generation's values, and the changes to them.
struct peer_choice {
    peer_generation preset = peer_generation::fermi;
    peer_spec values;

    config::chosen_part chosen() { return {&config::structure_of<peer_spec>(), &values}; }
    void settle(const peer_choice& like) {
        preset = like.preset;
        values = peer_spec::of(preset);
    }
    static void describe(config::fields<peer_choice>& f);
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::peer_generation> {
    static constexpr std::array names{std::pair{contraflow::gpu::peer_generation::fermi, "fermi"},
                                      std::pair{contraflow::gpu::peer_generation::kepler, "kepler"}};
};
