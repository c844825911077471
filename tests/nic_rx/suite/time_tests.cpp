// SPDX-License-Identifier: Apache-2.0
// Directed tests of times, and of the numbers of packets.
#include "nic_rx/suite/subjects.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;

directed_result throughput(cover& cover) {
    directed_result all;
    for (const std::uint32_t max_payload : {64u, 128u, 4096u}) {
        auto c = one_buffer();
        c.max_payload = max_payload;
        constexpr unsigned packets = 20;
        for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(i % 4 * 4096, 4096));
        play p(cover, c);
        const auto r = p.end();
        const auto time = p.b.time_of_all() + max_payload / word_bytes;
        // With room for one longest packet, or one packet in flight, there is nothing behind it.
        if (built().buffer_words >= 1024 && built().packets_in_flight >= 4 && built().writes >= 32 &&
            built().packets >= 8 && built().host_tlb >= 8)
            p.expect(packets * 256 * 100 >= 95 * time,
                     fmt::format("{} words in {} cycles, writes of {} bytes", packets * 256, time, max_payload));
        all.add({p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

directed_result short_packets(cover& cover) {
    auto c = one_buffer();
    c.buffers[0].first = built().buffers - 1;
    constexpr unsigned packets = 200;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(16 * i % 4096, 16));
    play p(cover, c, {.acknowledge_latency = 10});
    const auto r = p.end();
    const auto time = p.b.time_of_all();
    const unsigned search = built().buffers / built().search_rate + 1;
    if (built().packets_in_flight >= 4 && built().packets >= 8 && built().writes >= 8)
        p.expect(time <= std::max(12u, search) * packets, fmt::format("{} packets in {} cycles", packets, time));
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// Short packets come faster than BUF_LIST is searched to its end.
directed_result short_packets_of_the_last_entry(cover& cover) {
    auto c = one_buffer();
    c.buffers[0].first = built().buffers - 1;
    for (unsigned i = 0; i < 60; ++i) c.packets.push_back(put(16 * i, 16, i % 3 == 0));
    return play(cover, c).end();
}

// The first write of 4 KiB: its words, the check, the search of the first group, two pages that hit.
directed_result latency(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(0, 16), put(4096, 16), put(8, 4096)};
    play p(cover, c);
    const auto r = p.end();
    if (built().host_tlb >= 2)
        p.equal(p.b.first_of(2).cycle - p.b.begin_of(2), 258u + 1 + 2 + 2, "cycles until the first write of 4 KiB");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// More packets than a number counts: nearly all of them have no word. For the first half nobody takes the drops.
directed_result numbers_wrap(cover& cover) {
    constexpr unsigned packets = 66'500, puts_every = 4, place_of_put = 3;
    auto c = one_buffer();
    packet_header get = good_header(0, 16);
    get.kind = 1;
    unsigned puts = 0;
    for (unsigned i = 0; i < packets; ++i) {
        const bool is_put = i % puts_every == place_of_put;
        puts += is_put ? 1 : 0;
        c.packets.push_back(is_put ? put(16 * (i % 200), 16, true) : i % 331 == 1 ? with(get, 16) : bytes{});
    }
    play p(cover, c);
    p.b.errors_may_be_lost = p.b.feeding = true;
    std::size_t seen = 0;                          // entries of the log, so far
    std::uint64_t newest_written = 0, before = 0;  // packets whose payload was written; `before` the removal began
    while (p.b.next < packets && p.b.cycle < 1'000'000) {
        p.b.hold_errors = p.b.next < 36'000;
        // What is removed belongs to no buffer; it waits for the packets before it, whatever their numbers.
        for (; seen < p.b.log.size(); ++seen)
            if (std::holds_alternative<data_write>(p.b.log[seen].what)) newest_written = p.b.log[seen].packet;
        if (p.b.command_ended()) {
            p.expect(!p.b.writes_out_of(before), "a removal does not wait for a write before it");
            before = newest_written;
            p.b.begin_command(nic_rx_registers::command_opcode_invalidate, 0, {0x9000});
        }
        p.b.step();
    }
    p.b.steps(200);
    p.expect(p.b.done(), "it does not end");
    p.expect(p.b.command_ended(), "a removal does not end");
    const auto n = p.b.counters();
    p.equal(n.accepted, puts, "accepted packets");
    p.equal(n.accepted + n.mailbox + n.drops[0], packets, "packets");
    p.equal(n.drops[0] - p.b.out().errors_lost,
            std::count_if(p.b.log.begin(), p.b.log.end(),
                          [](const auto& a) { return std::holds_alternative<drop_action>(a.what); }),
            "drops that are shown");
    // By its number, what each packet did, and that what is of one kind came in order.
    std::array<std::uint64_t, std::variant_size_v<action>> next{};
    for (const auto& a : p.b.log) {
        const bool is_get = !c.packets[a.packet].empty() && a.packet % puts_every != place_of_put;
        const bool right = std::holds_alternative<mailbox_message>(a.what) ? is_get
                           : std::holds_alternative<drop_action>(a.what)   ? c.packets[a.packet].empty()
                                                                           : a.packet % puts_every == place_of_put;
        p.expect(right && a.packet >= next[a.what.index()],
                 fmt::format("packet {} does what another one should", a.packet));
        next[a.what.index()] = a.packet + 1;
    }
    cover.hit(group::numbers, 0);
    const std::size_t actions = p.b.log.size();
    p.b.hard_reset();
    p.b.step();
    p.equal(p.b.out().errors_lost, 0u, "lost drops after a reset");
    return p.so_far(actions);
}

}  // namespace

const std::vector<directed_test>& time_tests() {
    static const std::vector<directed_test> tests{
        {"throughput", false, throughput},
        {"short packets", false, short_packets},
        {"short packets of the last entry", false, short_packets_of_the_last_entry},
        {"latency", false, latency},
        {"the numbers of packets wrap", true, numbers_wrap},
    };
    return tests;
}

}  // namespace contraflow::testing
