// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated once traffic has reached its level; and the memory systems of a machine of four sockets with 64
// first-level caches each, of which 64 MiB are touched, fit in 150 MB of the host.
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/simulation.h"
#include "socket.h"
#include "support/allocation_count.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::socket;

namespace {

std::uint64_t resident_bytes() {
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(footprint, nothing_is_allocated_in_the_steady_state) {
    core::simulation sim;
    observe::statistics statistics;
    payload_pool payloads;
    const resources shared{sim.events(), statistics, payloads};
    socket s(0, shared, 8, 4, 256u << 10);
    s.start(1'000'000);
    sim.run_until(core::sim_time::from_us(100));
    const auto before = contraflow::test::allocations();
    const auto answered = s.answered();
    sim.run_until(core::sim_time::from_us(150));
    EXPECT_GT(s.answered(), answered + 5000);
    EXPECT_EQ(contraflow::test::allocations(), before);
}

TEST(footprint, four_sockets_with_64_mib_touched_fit_in_150_mb) {
    const std::vector<std::uint8_t> bytes(16u << 20, 1);
    const std::uint64_t before = resident_bytes();
    core::simulation sim;
    observe::statistics statistics;
    payload_pool payloads;
    const resources shared{sim.events(), statistics, payloads};
    std::vector<std::unique_ptr<socket>> sockets;
    constexpr std::uint64_t each = (64u << 20) / 256;
    for (unsigned i = 0; i < 4; ++i) {
        sockets.push_back(std::make_unique<socket>(i, shared, 64, 16, each));
        backing_store& home = sockets[i]->home->bytes();
        home.write(home.base(), bytes.data(), bytes.size());
    }
    for (const auto& s : sockets) s->start(each / 128);
    sim.run();
    for (const auto& s : sockets) {
        EXPECT_EQ(s->answered(), 64 * each / 128);
        EXPECT_EQ(s->home->bytes().pages_in_use(), (16u << 20) / backing_store::page_bytes);
    }
    const double megabytes = static_cast<double>(resident_bytes() - before) / 1e6;
    RecordProperty("resident_megabytes", static_cast<int>(megabytes));
    EXPECT_LE(megabytes, 150);
    EXPECT_GE(megabytes, 64);  // touched memory is resident
}

}  // namespace
