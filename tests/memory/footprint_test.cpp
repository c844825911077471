// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated once traffic has reached its level; and the memory systems of a machine of four sockets with 64
// first-level caches each, of which 64 MiB are touched, fit in 150 MB of the host.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/simulation.h"
#include "memory/address_map.h"
#include "memory/cache.h"
#include "memory/crossbar.h"
#include "memory/dram.h"
#include "streamer.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::streamer;

namespace {

std::uint64_t resident_bytes() {
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct by_bank final : route_if {
    interleave banks;
    explicit by_bank(unsigned n) : banks(n, 256, true) {}
    unsigned output(std::uint64_t address) const override { return banks.part_of(address); }
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

TEST(footprint, nothing_is_allocated_in_the_steady_state) {
    core::simulation sim;
    observe::statistics statistics;
    payload_pool payloads;
    const resources shared{sim.events(), statistics, payloads};
    socket s(0, shared, 8, 4, 256u << 10);
    s.start(1'000'000);
    sim.run_until(core::sim_time::from_us(100));
    const auto before = allocations.load();
    const auto answered = s.answered();
    sim.run_until(core::sim_time::from_us(150));
    EXPECT_GT(s.answered(), answered + 5000);
    EXPECT_EQ(allocations.load(), before);
}

TEST(footprint, four_sockets_with_64_mib_touched_fit_in_150_mb) {
    const std::uint64_t before = resident_bytes();
    core::simulation sim;
    observe::statistics statistics;
    payload_pool payloads;
    const resources shared{sim.events(), statistics, payloads};
    std::vector<std::unique_ptr<socket>> sockets;
    constexpr std::uint64_t each = (64u << 20) / 256;
    for (unsigned i = 0; i < 4; ++i) sockets.push_back(std::make_unique<socket>(i, shared, 64, 16, each));
    for (const auto& s : sockets) s->start(each / 128);
    sim.run();
    for (const auto& s : sockets) {
        EXPECT_EQ(s->answered(), 64 * each / 128);
        EXPECT_EQ(s->home->bytes().pages_in_use(), (16u << 20) / backing_store::page_bytes);
    }
    const double megabytes = static_cast<double>(resident_bytes() - before) / 1e6;
    RecordProperty("resident_megabytes", static_cast<int>(megabytes));
    EXPECT_LE(megabytes, 150);
    EXPECT_GE(megabytes, 64);  // what is touched is there
}

}  // namespace
