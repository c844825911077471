// SPDX-License-Identifier: Apache-2.0
// Directed tests of resets.
#include "nic_rx/suite/subjects.h"

#include <optional>
#include <vector>

#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic_rx/simple_case.h"
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

}  // namespace

const std::vector<directed_test>& reset_tests() {
    static const std::vector<directed_test> tests{
        {"the end of a reset", false, end_of_a_reset},
        {"a command in a reset", false, command_in_a_reset},
        {"a packet in a reset", false, packet_in_a_reset},
        {"a soft reset in any cycle", false, [](cover& c) { return resets(c, false); }},
        {"a hard reset in any cycle", false, [](cover& c) { return resets(c, true); }},
    };
    return tests;
}

}  // namespace contraflow::testing
