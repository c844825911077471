// SPDX-License-Identifier: Apache-2.0
// The parameters of a cache. Defaults: a private first-level cache of a GPU of the Volta class, assumed.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/fields.h"
#include "memory/dram/interleave.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

enum class write_policy {
    through,  // a write updates an existing copy and goes on to the next level; it allocates no line
    back,     // a write stays here; partly written lines are not fetched
};
enum class atomics_at { here, next };
enum class cache_level { l1, l2 };

inline constexpr unsigned most_ways = 64;  // a mask of them is a word

struct cache_spec {
    core::bytes size{32u << 10};
    core::bytes line{128};
    unsigned ways = 4;
    write_policy writes = write_policy::through;
    atomics_at atomics = atomics_at::next;
    std::string replacement = "lru";
    unsigned mshrs = 64;
    unsigned mshr_targets = 16;
    unsigned queue = 8;
    unsigned request_queue = 8;
    unsigned write_backs = 32;
    unsigned accesses = 1;
    core::cycles hit_latency{28};
    core::cycles fill_latency{4};
    memory::scope covers = memory::scope::group;

    // Set by the machine, not by a configuration.
    core::sim_time cycle = core::sim_time::from_ns(1);
    cache_level level = cache_level::l1;
    unsigned socket = 0;      // it belongs to: tells its own requesters from remote ones
    memory::interleave bank;  // how lines are spread over the neighbouring caches, of which this is one
    std::uint64_t seed = 1;

    static void describe(config::fields<cache_spec>& f);
};

}  // namespace contraflow::memory

template <> struct contraflow::config::enum_names<contraflow::memory::write_policy> {
    static constexpr std::array names{std::pair{contraflow::memory::write_policy::through, "through"},
                                      std::pair{contraflow::memory::write_policy::back, "back"}};
};
template <> struct contraflow::config::enum_names<contraflow::memory::atomics_at> {
    static constexpr std::array names{std::pair{contraflow::memory::atomics_at::here, "here"},
                                      std::pair{contraflow::memory::atomics_at::next, "next"}};
};
template <> struct contraflow::config::enum_names<contraflow::memory::scope> {
    static constexpr std::array names{std::pair{contraflow::memory::scope::wavefront, "wavefront"},
                                      std::pair{contraflow::memory::scope::group, "group"},
                                      std::pair{contraflow::memory::scope::device, "device"},
                                      std::pair{contraflow::memory::scope::system, "system"}};
};
