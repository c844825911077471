// SPDX-License-Identifier: Apache-2.0
// A cache between a requester and a memory, and the two levels that tests use.
#pragma once

#include "memory/cache/cache.h"
#include "memory/dram/dram.h"
#include "memory/probe.h"

namespace contraflow::memory::testing {

inline constexpr std::uint64_t hit_ns = 10, fill_ns = 3;

inline cache_spec first_level() {
    cache_spec s;
    s.size = {1024};  // two sets of four lines
    s.hit_latency = core::cycles{hit_ns};
    s.fill_latency = core::cycles{fill_ns};
    return s;
}
inline cache_spec second_level() {
    cache_spec s = first_level();
    s.writes = write_policy::back;
    s.atomics = atomics_at::here;
    s.covers = scope::system;
    s.level = cache_level::l2;
    return s;
}

// A probe, a cache, a memory in which an access with a closed row takes exactly 90 ns and an open one 70. With the
// look-up before it a miss takes 100 or 80, and its fill.
struct cached_memory {
    bench b;
    probe p{"probe", b};
    cache c;
    dram home;
    static dram_spec memory_spec() {
        dram_spec d;
        d.size = {1u << 20};
        d.channels = 1;
        d.channel_bandwidth = core::bandwidth::from_gb_per_s(128);  // a line a ns
        d.activate = core::sim_time::from_ns(20);
        d.column = core::sim_time::from_ns(20);
        d.overhead = core::sim_time::from_ns(49);
        return d;
    }
    explicit cached_memory(const cache_spec& s) : c("tested", b.shared, s), home("home", b.shared, memory_spec()) {
        b.connect(p.port, c.up);
        b.connect(c.down, home.up());
        for (std::uint64_t a = 0; a < 8192; a += 4) home.bytes().write(a, reinterpret_cast<const std::uint8_t*>(&a), 4);
    }
    ~cached_memory() {
        b.expect_silence();
        EXPECT_EQ(b.payloads.in_flight(), 0u);
    }
    std::uint32_t at_home(std::uint64_t address) {
        std::uint32_t v = 0;
        home.bytes().read(address, reinterpret_cast<std::uint8_t*>(&v), 4);
        return v;
    }
};

}  // namespace contraflow::memory::testing
