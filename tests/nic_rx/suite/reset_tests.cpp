// SPDX-License-Identifier: Apache-2.0
// Directed tests of resets.
#include "nic_rx/suite/subjects.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;

// A command that comes in a reset, which waits for a write here, is answered after it, and counts.
directed_result command_in_a_reset(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(64, 40, true)};
    play p(cover, c);
    p.b.hold_acknowledgements = p.b.feeding = true;
    p.b.steps(100);
    p.expect(!p.b.log.empty(), "nothing is written");
    p.b.feeding = false;
    p.b.in().soft_reset = true;
    p.b.step();
    p.b.in().soft_reset = false;
    p.b.begin_command(regs::command_opcode_set_buffer, 0, encode(c.buffers[0].second));
    p.b.steps(50);
    p.expect(!p.b.command_ended(), "a command is answered in a reset");
    p.b.hold_acknowledgements = false;
    p.b.steps(50);
    p.expect(p.b.command_ended() && !p.b.out().resetting && p.b.answer == 0, "a command is not answered after a reset");
    p.b.forget();
    p.b.set_ring(0);
    return p.end();
}

// A packet that comes while a reset waits, for a write that is offered, for acknowledgements or for an entry of a
// table, begins when it has ended.
directed_result packet_in_a_reset(cover& cover) {
    enum : unsigned { acknowledgements, dma, tables, sides };
    directed_result all;
    for (unsigned side = 0; side < sides; ++side) {
        auto c = one_buffer();
        c.packets = {put(64, 200, true), put(512, 40)};
        play p(cover, c);
        p.b.packets_to_come = 1;
        p.b.hold_acknowledgements = side == acknowledgements;
        p.b.hold_dma = side == dma;
        p.b.hold_tables = side == tables;
        p.b.feeding = true;
        p.b.steps(100);
        p.b.in().soft_reset = true;
        p.b.step();
        p.b.in().soft_reset = false;
        p.b.packets_to_come = 2;
        for (unsigned i = 0; i < 50; ++i) {
            p.b.step();
            p.expect(p.b.out().resetting && !p.b.out().in_ready, "a packet may begin in a reset");
        }
        p.b.hold_dma = p.b.hold_acknowledgements = p.b.hold_tables = false;
        p.b.steps(300);
        p.equal(p.b.began.size(), 2u, "packets that have begun");
        p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], 1u, "packets after the reset");
        const auto r = p.so_far(p.b.log.size());
        all.add({r.wrong, r.cycles, 2, r.actions});
    }
    return all;
}

// A reset in each cycle of a few packets, whose tables and memories are slow; then all of them again.
directed_result resets(cover& cover, bool hard) {
    directed_result all;
    for (unsigned at = 0; at < 100; ++at) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * (i % 3), 30 + 40 * i, true));
        play p(cover, c,
               {.table_latency = 6, .acknowledge_latency = 25, .seed = 1 + at, .refuse_dma = 3, .refuse_table = 2});
        p.b.feeding = true;
        p.b.steps(at);
        cover.state(hard ? group::hard_reset : group::soft_reset, p.b);
        if (hard)
            p.b.hard_reset(at % 3);
        else
            p.b.soft_reset();
        p.expect(p.b.out().idle || !hard, "it is not idle after a reset");
        p.equal(p.b.counters().accepted, 0u, "accepted packets after a reset");
        p.b.set_up();
        const auto r = p.end();
        all.add(r);
    }
    return all;
}

// A reset that waits for the last acknowledgement ends as many cycles after it, however long it has waited.
directed_result end_of_a_reset(cover& cover) {
    directed_result all;
    std::optional<std::uint64_t> first;
    for (unsigned wait = 0; wait < 12; ++wait) {
        auto c = one_buffer();
        c.packets = {put(64, 40)};
        play p(cover, c);
        p.b.hold_acknowledgements = p.b.feeding = true;
        p.b.steps(100);
        p.b.in().soft_reset = true;
        p.b.step();
        p.b.in().soft_reset = false;
        p.b.steps(20 + wait);
        p.expect(p.b.out().resetting, "a reset does not wait for an acknowledgement");
        p.b.hold_acknowledgements = false;
        const std::uint64_t before = p.b.cycle;
        for (unsigned i = 0; i < 100 && p.b.out().resetting; ++i) p.b.step();
        if (!first) first = p.b.cycle - before;
        p.equal(p.b.cycle - before, *first, "cycles from the last acknowledgement to the end of a reset");
        p.b.forget();
        const auto r = p.so_far(0);
        all.add({r.wrong, r.cycles, 1, 0});
    }
    return all;
}

// An invalidation waits for a packet whose write is not acknowledged; a reset waits for the write of a later one, which
// is offered. The packet ends in each cycle around the reset: the invalidation is answered before or after the reset,
// not in it.
directed_result invalidation_through_a_reset(cover& cover) {
    constexpr unsigned before = 8;  // cycles
    directed_result all;
    for (unsigned at = 0; at < 2 * before; ++at) {
        auto c = one_buffer();
        c.packets = {put(64, 40), put(512, 40)};
        play p(cover, c, {.acknowledge_latency = 2});
        p.b.packets_to_come = 1;
        p.b.feeding = p.b.hold_acknowledgements = true;
        p.b.steps(60);
        p.b.begin_command(regs::command_opcode_invalidate, 0, {0x40000});
        p.b.steps(10);
        p.expect(!p.b.command_ended(), "an invalidation does not wait");
        p.b.packets_to_come = 2;
        p.b.hold_dma = true;
        p.b.steps(60);
        p.expect(p.b.out().dma_valid || built().packets_in_flight == 1, "no write is offered");
        p.b.in_soft_reset = true;
        p.b.soft_reset_at = p.b.cycle + before;
        const std::uint64_t acknowledged = p.b.cycle + at;
        const auto step = [&] {
            p.b.hold_acknowledgements = p.b.cycle < acknowledged;
            const bool waits = !p.b.command_ended(), resets = p.b.out().resetting;
            p.b.step();
            p.expect(!(waits && resets && p.b.command_ended()), "an invalidation is answered in a reset");
        };
        for (unsigned i = 0; i < 4 * before; ++i) step();
        p.b.hold_dma = false;
        for (unsigned i = 0; i < 200; ++i) step();
        p.expect(p.b.command_ended() && !p.b.out().resetting, "an invalidation is not answered");
        p.b.in_soft_reset = p.b.feeding = false;
        p.b.forget();
        p.b.set_up();
        all.add(p.end());
    }
    return all;
}

// Each setting changes while nothing is inside, with a get request and a drop that wait: those stay as they are, and
// the next packets follow the new setting.
directed_result settings(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(1);
    c.packets.push_back(dropped_for(drop_reason::crc));
    play p(cover, c);
    p.b.hold_messages = p.b.hold_errors = p.b.feeding = true;
    p.b.steps(100);
    p.expect(p.b.out().idle && p.b.out().message_valid && p.b.out().error_valid, "nothing waits");
    if (!p.b.out().idle) return p.so_far();
    const auto words = p.b.out().message_words;
    const auto process = p.b.out().error_process;
    for (unsigned turn = 0; turn < 32; ++turn) {
        p.b.in().node = static_cast<std::uint16_t>(turn < 15 ? 1u << turn : 0x7fff);
        p.b.in().max_payload = static_cast<std::uint8_t>(turn % 7);
        p.b.in().by_core = turn % 2 == 0;
        p.b.steps(2);
        p.expect(p.b.out().message_valid && p.b.out().message_words == words, "a get request changes with a setting");
        p.expect(p.b.out().error_valid && p.b.out().error_process == process, "a drop changes with a setting");
        p.expect(p.b.out().idle, "a change of settings is under way");
    }
    p.b.in().by_core = false;
    p.b.in().node = static_cast<std::uint16_t>(bits_of(p.b.given.node));
    for (const unsigned shift : {0u, 2u, 6u}) {
        if (!p.b.out().idle) return p.so_far();
        p.b.in().max_payload = static_cast<std::uint8_t>(shift);
        p.b.given.max_payload = 64u << shift;
        p.b.step();
        p.b.hold_messages = p.b.hold_errors = false;
        p.b.steps(20);
        p.b.log.clear();
        p.b.next = 0;
        p.b.given.packets = {put(16, 1000)};
        p.expect(p.b.run(), "a packet does not end");
        std::size_t writes = 0;
        for (const auto& n : p.b.log)
            if (const auto* w = std::get_if<data_write>(&n.what)) {
                ++writes;
                p.expect(w->data.size() <= p.b.given.max_payload, "a write is longer than max_payload");
            }
        p.equal(writes, shift == 0 ? 16u : shift == 2 ? 4u : 1u, "writes of 1,000 bytes");
    }
    return p.so_far();
}

}  // namespace

const std::vector<directed_test>& reset_tests() {
    static const std::vector<directed_test> tests{
        {"the end of a reset", false, end_of_a_reset},
        {"a command in a reset", false, command_in_a_reset},
        {"an invalidation through a reset", false, invalidation_through_a_reset},
        {"settings that change", false, settings},
        {"a packet in a reset", false, packet_in_a_reset},
        {"a soft reset in any cycle", false, [](cover& c) { return resets(c, false); }},
        {"a hard reset in any cycle", false, [](cover& c) { return resets(c, true); }},
    };
    return tests;
}

}  // namespace contraflow::testing
