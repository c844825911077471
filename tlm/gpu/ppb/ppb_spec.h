// SPDX-License-Identifier: Apache-2.0
// The parameters of a GPU's PCIe path block. The defaults are assumed (README.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "config/fields.h"
#include "core/units.h"
#include "memory/cache/cache_spec.h"

namespace contraflow::gpu {

// Which of the combiner's entries is written to memory next, when none has to be.
enum class drain_order : std::uint8_t { arrival, random };

struct ppb_spec {
    core::bytes read_cache{4096};
    unsigned ways = 4;
    std::string replacement = "lru";
    core::cycles read_latency{20};
    unsigned reads = 64;
    unsigned fills = 32;
    unsigned combiner = 16;
    core::sim_time drain_after = core::sim_time::from_us(1);
    drain_order order = drain_order::random;
    unsigned writes = 32;
    std::uint64_t seed = 1;

    // Set by the machine, not by a configuration.
    core::bytes line{128};
    core::bytes memory{std::uint64_t{4} << 30};
    std::uint64_t memory_base = 0;  // physical address of the memory's first byte
    core::sim_time cycle = core::sim_time::from_ns(1);
    unsigned socket = 0;

    static void describe(config::fields<ppb_spec>& f);
    // Throws std::invalid_argument if nothing can be built from this.
    void check() const;
    // The read cache that is built.
    memory::cache_spec cache() const;
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::drain_order> {
    static constexpr std::array names{std::pair{contraflow::gpu::drain_order::arrival, "arrival"},
                                      std::pair{contraflow::gpu::drain_order::random, "random"}};
};
