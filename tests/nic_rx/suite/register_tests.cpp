// SPDX-License-Identifier: Apache-2.0
// Directed tests of the registers, the bus and the driver's commands.
#include "nic_rx/suite/subjects.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;

// Accesses of the bus that must wait, or are refused.
directed_result bus_waits(cover& cover) {
    auto c = one_buffer();
    auto entry = c.buffers[0].second;
    c.buffers = {{built().buffers - 1, entry}};
    for (unsigned i = 0; i < 30; ++i) c.packets.push_back(put(16 * i, 16, true));
    play p(cover, c);
    p.b.feeding = true;
    bool waited = false;
    for (unsigned i = 0; i < 40; ++i) {
        const std::uint64_t before = p.b.cycle;
        p.b.bus(true, p.b.list_word(2, i % 8), 0);
        waited = waited || p.b.cycle > before + 2;
    }
    p.expect(waited, "no write waits for a search");
    p.b.hold_dma = true;  // a completion is offered: no ring may be set up
    p.b.steps(30);
    for (unsigned place = 0; place < p.b.registers; ++place) {
        if (4 * place == regs::ring_set.offset || 4 * place == regs::task_send.offset) continue;
        const std::uint64_t before = p.b.cycle;
        p.b.bus(true, 4 * place, 0);
        p.equal(p.b.cycle - before, 2u, fmt::format("cycles of a write to {:#x} while a ring is busy", 4 * place));
    }
    p.b.bus(true, regs::ring_entries.offset, 4);
    const std::uint64_t until = p.b.cycle + 20;
    p.b.core = [&] { p.b.hold_dma = p.b.cycle < until; };
    p.b.bus(true, regs::ring_set.offset, built().rings);
    p.expect(p.b.cycle >= until, "a ring is set up while its completion is offered");
    p.expect(p.b.bus_error, "a ring is set up that does not exist");
    p.b.core = {};
    p.b.bus(true, regs::lookup_result.offset, 5u << 4);
    p.expect(p.b.bus_error, "a look-up may be in a space that does not exist");
    p.b.hold_dma = false;
    if (waited) cover.hit(group::bus, 3);
    return p.end();
}

// A task hides the next get request until the transmit side has taken it; a soft reset removes it.
directed_result tasks(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(2);
    play p(cover, c);
    p.b.hold_messages = true;
    core::random_source r(core::mix64(71));
    for (unsigned turn = 0; turn < 6; ++turn) {
        bytes words;
        for (unsigned i = 0; i < 8; ++i) {
            const auto word = turn == 0 ? 0xffff'ffff : turn == 1 ? 0 : static_cast<std::uint32_t>(r.next());
            p.b.bus(true, regs::task.offset + 4 * i, word);
            for (unsigned k = 0; k < 4; ++k) words.push_back(static_cast<std::uint8_t>(word >> 8 * k));
        }
        p.b.feeding = true;
        p.b.steps(60);
        p.equal(p.read(regs::irq_status.offset), regs::irq_status_message.mask(), "IRQ_STATUS");
        p.b.bus(true, regs::task_send.offset, 0);
        p.b.step();
        p.expect(p.b.out().task_valid, "a task is not shown");
        const auto& shown = p.b.out().task_words;
        p.expect(std::equal(shown[0].begin(), shown[0].end(), words.begin()) &&
                     std::equal(shown[1].begin(), shown[1].end(), words.begin() + word_bytes),
                 "a task is not what was written");
        p.equal(p.read(regs::irq_status.offset), 0u, "IRQ_STATUS while a task waits");
        p.b.bus(true, regs::task.offset, 1);
        p.expect(p.b.bus_error, "a task changes while it waits");
        p.b.soft_reset();
        p.expect(!p.b.out().task_valid, "a task outlives a reset");
        p.b.set_up();
    }
    p.b.hold_messages = false;
    return p.end();
}

// TABLE_SEGMENT shows at its port, all bits of it, from the next cycle on.
directed_result table_segment(cover& cover) {
    play p(cover, one_buffer());
    core::random_source r(core::mix64(73));
    std::uint64_t wanted = 0;
    for (unsigned turn = 0; turn < 24; ++turn) {
        p.expect(p.b.out().table_segment == wanted, "TABLE_SEGMENT is not what its port shows");
        const unsigned high = turn % 2;
        const auto word = turn < 2 ? 0xffff'ffff : turn < 4 ? 0 : static_cast<std::uint32_t>(r.next());
        p.b.bus(true, regs::table_segment.offset + 4 * high, word);
        const std::uint64_t mask = std::uint64_t{0xffff'ffff} << 32 * high;
        wanted = (wanted & ~mask) | std::uint64_t{word} << 32 * high;
        p.b.step();
    }
    p.b.hard_reset();
    p.b.step();
    p.expect(p.b.out().table_segment == 0, "TABLE_SEGMENT outlives a reset");
    return p.so_far();
}

directed_result registers_after_reset(cover& cover) {
    play p(cover, one_buffer());
    p.b.hard_reset();
    for (unsigned place = 0; place < p.b.registers; ++place) {
        std::uint32_t wanted = 0;
        for (const auto& r : regs::all)
            if (r.offset == 4 * place) wanted = r.reset;
        if (4 * place == regs::buf_list.offset) wanted = built().list_base;
        if (4 * place == regs::buf_list_entries.offset) wanted = built().buffers;
        if (4 * place == regs::rings.offset) wanted = built().rings;
        p.equal(p.read(4 * place), wanted, fmt::format("the register at {:#x}", 4 * place));
        p.expect(!p.b.bus_error, "a register cannot be read");
    }
    for (unsigned i = 0; i < built().buffers; ++i) p.equal(p.read(p.b.list_word(i)) & 1, 0u, "a buffer's valid bit");
    p.b.bus(false, 4 * p.b.registers);
    p.expect(p.b.bus_error, "the bus answers behind the last register");
    for (const unsigned at : {1u, 2u, 3u, 0x1001u}) {
        p.b.bus(false, at);
        p.expect(p.b.bus_error, "the bus answers between two registers");
    }
    return p.so_far();
}

// RESET invalidates the list, and nothing else.
directed_result reset_by_the_driver(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 10; ++i) c.packets.push_back(put(16 * i, 16, true));
    directed_result last;
    for (unsigned at = 0; at < 40; at += 3) {
        play p(cover, c);
        p.b.feeding = true;
        p.b.steps(at);
        p.equal(p.b.command(regs::command_opcode_reset, 0, {}), 0u, "the answer");
        cover.hit(group::command, 3);
        cover.hit(group::command, 1);
        p.expect(p.b.run(), "the packets do not end");
        const auto n = p.b.counters();
        p.equal(n.accepted + n.drops[static_cast<unsigned>(drop_reason::no_buffer)], 10u, "packets");
        for (unsigned i = 0; i < built().buffers; ++i)
            p.equal(p.read(p.b.list_word(i)) & 1, 0u, "a buffer's valid bit");
        const auto r = p.so_far();
        last.add({r.wrong, r.cycles, 10, 0});
    }
    return last;
}

// All bits of all counters, as the bus and the driver read them, and as they wrap. Packets alone would take years.
directed_result all_bits_of_counters(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(1);
    c.packets.push_back(put(16, 16, true));
    for (const auto reason : {drop_reason::framing, drop_reason::crc, drop_reason::header, drop_reason::length,
                              drop_reason::misrouted, drop_reason::no_buffer})
        c.packets.push_back(dropped_for(reason));
    play p(cover, c);
    const receive_counters more = expected_of(c).counters;
    std::vector<std::uint32_t> held(regs::counter_registers);
    core::random_source r(core::mix64(79));
    const auto compare = [&](const char* when) {
        for (unsigned i = 0; i < held.size(); ++i) {
            p.equal(p.read(regs::counter.offset + 4 * i), held[i], fmt::format("counter {} on the bus {}", i, when));
            p.equal(p.b.command(regs::command_opcode_read_counter, static_cast<std::uint16_t>(i), {}), held[i],
                    fmt::format("counter {} for the driver {}", i, when));
        }
    };
    p.b.errors_may_be_lost = true;
    std::uint32_t ended = 0, lost = 0;
    for (unsigned turn = 0; turn < 6; ++turn) {
        std::uint32_t others = 0 - ended;
        for (unsigned i = 0; i < held.size(); ++i) {
            auto now = turn == 0 ? 0xffff'ffff : turn == 1 ? 0x5555'5555 : static_cast<std::uint32_t>(r.next());
            // An assertion compares the packets that have ended with the sum, so this one takes up the rest.
            if (i + 1 == held.size()) now = 0 - others;
            if (i != 2 && i != 3) others += now;
            p.b.count(i, held[i], now);
            held[i] = now;
        }
        const std::uint32_t lost_now = turn == 0 ? 0xffff'ffff : static_cast<std::uint32_t>(r.next());
        p.b.count(nic_rx::lost_errors, lost, lost_now);
        lost = lost_now;
        p.b.step();
        p.equal(p.b.out().errors_lost, lost, "lost errors");
        compare("after many packets");
        p.b.next = 0;
        p.expect(p.b.run(), "the packets do not end");
        ended += static_cast<std::uint32_t>(c.packets.size());
        for (unsigned i = 0; i < held.size(); ++i) {
            const std::uint64_t sum = std::uint64_t{held[i]} + counter_word(more, i);
            held[i] = static_cast<std::uint32_t>(sum);
            if (i == 2) held[3] += static_cast<std::uint32_t>(sum >> 32);  // bytes have two places
        }
        compare("after some more");
    }
    return p.so_far();
}

}  // namespace

const std::vector<directed_test>& register_tests() {
    static const std::vector<directed_test> tests{
        {"the bus waits", false, bus_waits},
        {"tasks", false, tasks},
        {"TABLE_SEGMENT", false, table_segment},
        {"all bits of counters", false, all_bits_of_counters},
        {"registers right after reset", false, registers_after_reset},
        {"the driver's RESET", false, reset_by_the_driver},
    };
    return tests;
}

}  // namespace contraflow::testing
