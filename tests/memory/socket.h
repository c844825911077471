// SPDX-License-Identifier: Apache-2.0
// The memory system of one socket of four, under streams: units with a first-level cache each, a crossbar, banks of a
// second level, the memory.
#pragma once

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "memory/cache/cache.h"
#include "memory/crossbar/address_map.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "streamer.h"

namespace contraflow::memory::testing {

struct by_bank final : address_to_port_if {
    interleave banks;
    explicit by_bank(unsigned n) : banks(n, 256, true) {}
    unsigned find(std::uint64_t address) const override { return banks.part_of(address); }
    std::uint64_t span(std::uint64_t address) const override { return banks.span(address); }
};

// One socket: units with a cache each, a crossbar, banks, memory.
struct socket {
    by_bank routes;
    std::vector<std::unique_ptr<streamer>> units;
    std::vector<std::unique_ptr<cache>> l1, l2;
    std::unique_ptr<crossbar> bar;
    std::unique_ptr<dram> home;

    socket(unsigned number, const resources& shared, unsigned unit_count, unsigned banks, std::uint64_t bytes_each)
        : routes(banks) {
        const address_map map(4, {std::uint64_t{4} << 30});
        const auto name = [&](const char* what, unsigned i) { return fmt::format("gpu{}_{}{}", number, what, i); };
        cache_spec first;
        first.size = {128u << 10};
        first.socket = number;
        cache_spec second;
        second.size = {256u << 10};
        second.ways = 16;
        second.writes = write_policy::back;
        second.atomics = atomics_at::here;
        second.covers = scope::system;
        second.level = cache_level::l2;
        second.socket = number;
        second.bank = routes.banks;
        crossbar_spec x;
        x.inputs = unit_count;
        x.outputs = banks;
        dram_spec d;
        d.base = map.base(number);
        d.socket = number;
        d.ports = banks;
        bar = std::make_unique<crossbar>(name("bar", 0).c_str(), shared, x, routes);
        home = std::make_unique<dram>(name("home", 0).c_str(), shared, d);
        for (unsigned i = 0; i < unit_count; ++i) {
            units.push_back(
                std::make_unique<streamer>(name("unit", i).c_str(), shared, d.base + i * bytes_each, bytes_each / 128));
            l1.push_back(std::make_unique<cache>(name("l1_", i).c_str(), shared, first));
            units[i]->port.bind(l1[i]->up);
            l1[i]->down.bind(bar->up(i));
        }
        for (unsigned i = 0; i < banks; ++i) {
            l2.push_back(std::make_unique<cache>(name("l2_", i).c_str(), shared, second));
            bar->down(i).bind(l2[i]->up);
            l2[i]->down.bind(home->up(i));
        }
    }
    void start(std::uint64_t requests) {
        for (const auto& u : units) u->start(requests);
    }
    std::uint64_t answered() const {
        std::uint64_t n = 0;
        for (const auto& u : units) n += u->answered;
        return n;
    }
};

}  // namespace contraflow::memory::testing
