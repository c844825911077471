// SPDX-License-Identifier: Apache-2.0
// soak_nic PACKETS [FIRST_SEED [rtl]]: random packets, valid and not, through the TLM model in lockstep with firmware,
// in NICs of random sizes, until there were that many, and a quarter as many with RTL; `rtl`: so many with RTL, and
// none with firmware. The results are compared with the rules as well.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>

#include "nic/receive/random_case.h"
#include "nic/receive/receive_replay.h"
#include "nic/receive_reference.h"
#include "nic/smallest_receive.h"
#include "nic_levels/receive_level.h"

namespace {

using namespace contraflow;
using namespace contraflow::nic;

constexpr std::uint64_t packets_a_case = 400;

// RTL comes in two sizes only, so it gets one seed of four.
constexpr unsigned rtl_share = 4;
bool has_rtl(std::uint64_t seed) { return seed % rtl_share == 1; }

receive_spec random_spec(std::mt19937_64& random) {
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    receive_spec s;
    s.packets = 2 + below(16);
    s.packet_buffer = {most_words * word_bytes * (2 + std::uint64_t{below(4)})};
    s.writes = 2 + below(40);
    s.packets_in_flight = 1 + below(8);
    s.search_rate = 1u << below(5);
    s.host_tlb = 1 + below(8);
    s.gpu_tlb = 1 + below(8);
    return s;
}

struct totals {
    std::uint64_t accepted = 0, mailbox = 0;
    std::array<std::uint64_t, drop_reasons> drops{};
    void add(const receive_counters& c) {
        accepted += c.accepted;
        mailbox += c.mailbox;
        for (unsigned i = 0; i < drop_reasons; ++i) drops[i] += c.drops[i];
    }
    // A long run that has not met all tells little. No bit of a memory changes here.
    bool has_met_all() const {
        return accepted > 0 && mailbox > 0 && drops[static_cast<unsigned>(drop_reason::memory)] == 0 &&
               std::all_of(drops.begin(), drops.begin() + reasons_of_packets, [](auto n) { return n > 0; });
    }
};

// Empty: no error.
std::string run(std::uint64_t seed, unsigned packets, const iss::elf_file& program, totals& sum) {
    std::mt19937_64 random(seed);
    const auto c = random_receive_case(seed, packets);
    nic_levels::core_options core;
    core.program = &program;
    core.spec.messages = static_cast<std::uint32_t>(1 + random() % 4);
    replay_conditions around;
    around.acknowledge_latency = core::sim_time::from_ns(5 + random() % 2000);
    around.table_latency = core::sim_time::from_ns(5 + random() % 300);
    nic_levels::level_difference difference;
    // Firmware with the model in any sizes, and RTL in those that are built.
    using nic_levels::lockstep_level;
    const bool rtl = has_rtl(seed);
    const nic_levels::lockstep_sides sides{rtl ? lockstep_level::rtl : lockstep_level::firmware, lockstep_level::tlm};
    const receive_spec s = !rtl                        ? random_spec(random)
                           : seed / rtl_share % 2 == 0 ? receive_spec{}
                                                       : contraflow::testing::smallest_receive();
    const auto o = replay(c, s, receive_factory({nic_levels::receive_level::lockstep, sides}, core, difference), around,
                          [&] { return difference.text.empty(); });
    if (!difference.text.empty()) return difference.text;
    if (!o.complete) return o.hang;
    if (!o.not_conserved.empty()) return o.not_conserved;
    sum.add(o.result.counters);
    return first_difference(o.result, contraflow::testing::expected_of(c));
}

}  // namespace

int main(int argc, char** argv) {
    const bool rtl_alone = argc > 3 && std::string_view(argv[3]) == "rtl";
    if (argc < 2 || (argc > 3 && !rtl_alone)) {
        std::fputs("usage: soak_nic PACKETS [FIRST_SEED [rtl]]\n", stderr);
        return 2;
    }
    const std::uint64_t wanted = std::strtoull(argv[1], nullptr, 10);
    const std::uint64_t from_firmware = rtl_alone ? 0 : wanted, from_rtl = rtl_alone ? wanted : wanted / rtl_share;
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const auto program = nic_levels::built_in_firmware();
    // All cases of a run have as many packets, so that one seed gives the same case again.
    const auto packets = static_cast<unsigned>(std::min(packets_a_case, wanted));
    totals sum;
    std::uint64_t by_firmware = 0, by_rtl = 0;
    for (; by_firmware < from_firmware || by_rtl < from_rtl; ++seed) {
        if (rtl_alone && !has_rtl(seed)) continue;
        (has_rtl(seed) ? by_rtl : by_firmware) += packets;
        std::string wrong;
        try {
            wrong = run(seed, packets, program, sum);
        } catch (const std::exception& e) { wrong = e.what(); }
        if (wrong.empty()) continue;
        std::fprintf(stderr, "soak_nic: wrong with seed %llu: %s\nagain by: soak_nic %u %llu%s\n",
                     static_cast<unsigned long long>(seed), wrong.c_str(), packets,
                     static_cast<unsigned long long>(seed), has_rtl(seed) ? " rtl" : "");
        return 1;
    }
    const auto n = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
    std::printf(
        "soak_nic: %llu packets by firmware and %llu by RTL, each in lockstep with the model, agree: %llu accepted, "
        "%llu get requests",
        n(by_firmware), n(by_rtl), n(sum.accepted), n(sum.mailbox));
    for (unsigned i = 0; i < drop_reasons; ++i)
        std::printf(", %llu %s", n(sum.drops[i]), std::string(drop_names[i]).c_str());
    std::puts("");
    if (wanted >= 10'000 && !sum.has_met_all()) {
        std::fputs("soak_nic: something was not met: see the line above\n", stderr);
        return 1;
    }
    return 0;
}
