// SPDX-License-Identifier: Apache-2.0
// Directed tests of a core that serves misses and commands.
#include "nic/receive/table_memory.h"
#include "nic_rx/suite/subjects.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/random_case.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
#include "nic_rx/core_program.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;
using behaviour = rx_bench::behaviour;

// Misses, commands and get requests by the core.
directed_result by_the_core(cover& cover) {
    directed_result all;
    for (std::uint64_t seed = 900; seed < 904; ++seed) {
        auto c = seed == 900 ? one_buffer() : fitting(random_receive_case(seed, 30, true));
        if (seed == 900) c.packets = {put(0, 4096, true), put(5000, 20), put(0, 4096)};
        behaviour how;
        how.by_core = how.wide_rings = true;
        how.seed = seed;
        how.rings = most_rings();
        rx_bench b(c, how);
        core_program program(b);
        b.set_up();
        std::string wrong = b.run() ? "" : "the packets do not end";
        b.core = {};
        const auto result = b.result();
        if (wrong.empty()) wrong = first_difference(result, expected_of(c));
        if (wrong.empty()) wrong = b.broken;
        if (wrong.empty()) cover.played(c, result);
        all.add({wrong, b.cycle, c.packets.size(), result.actions.size()});
        cover.pressure(how);
    }
    return all;
}

// Packets that come to a core, and how many of them it looks up.
struct looking_core {
    looking_core(const nic::receive_case& c, const behaviour& how) : b(c, how), program(b), serve(b.core) {
        b.set_up();
    }
    // Until all packets have ended.
    void expect(unsigned lookups, const char* what, bool depends_on_host_tlb = false) {
        const unsigned before = program.lookups();
        if (!b.run() && wrong.empty()) wrong = "a packet does not end";
        const unsigned is = program.lookups() - before;
        if (is != lookups && wrong.empty() && (!depends_on_host_tlb || built().host_tlb >= 12))
            wrong = fmt::format("{} look-ups for {}, not {}", is, what, lookups);
    }
    void stop() { b.core = {}; }
    void go_on() { b.core = serve; }

    rx_bench b;
    core_program program;
    const decltype(b.core) serve;
    std::string wrong;
};

// Which packets are looked up by the core: the pages that it answers enter the TLB, unless it drops the packet, or
// BUF_LIST or the translations change while it works.
directed_result pages_of_the_core(cover& cover) {
    auto c = one_buffer();
    constexpr unsigned missing_page = 9;
    std::erase_if(c.tables, [](const auto& t) {
        return t.first == entry_address(memory_space::host, 0x40000, 0x10 + missing_page, 2);
    });
    auto other = c.buffers[0].second;
    other.process = 6;
    c.buffers.emplace_back(1, other);
    const behaviour how = with_core();
    looking_core core(c, how);
    rx_bench& b = core.b;
    const auto expect = [&](std::uint64_t offset, unsigned lookups, const char* what) {
        b.given.packets.push_back(put(offset, 16));
        core.expect(lookups, what, true);
    };
    constexpr std::uint64_t page = 4096;
    expect(0, 1, "a page that is new");
    expect(100, 0, "a page that was answered");
    expect(3 * page - 8, 1, "two new pages");
    expect(2 * page, 0, "the first of two");
    expect(3 * page, 0, "the second of two");
    expect(4 * page - 8, 1, "a page that is there, and a new one");
    expect(4 * page, 0, "the new one");
    expect(6 * page, 1, "another page");
    expect(6 * page - 8, 1, "a new page, and one that is there");
    expect(5 * page, 0, "the new one of these");
    expect(missing_page * page - 8, 1, "a page before one that does not exist");
    expect((missing_page - 1) * page, 1, "that page alone");
    expect((missing_page - 1) * page, 0, "it once more");
    enum : unsigned { buffer_set, root_removed };
    for (const unsigned meanwhile : {buffer_set, root_removed}) {
        const std::uint64_t offset = (10 + meanwhile) * page;
        core.stop();
        b.given.packets.push_back(put(offset, 16));
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        if (meanwhile == buffer_set)
            b.begin_command(regs::command_opcode_set_buffer, 1, encode(other));
        else
            b.begin_command(regs::command_opcode_invalidate, 0, {0x9000});  // of no buffer
        core.go_on();
        if (!b.run() && core.wrong.empty()) core.wrong = "a packet does not end";
        expect(offset, 1, "a page that was answered while settings changed");
        expect(offset, 0, "that page once more");
    }
    core.stop();
    const auto difference = first_difference(b.result(), expected_of(b.given));
    if (core.wrong.empty()) core.wrong = difference.empty() ? b.broken : difference;
    cover.pressure(how);
    return {core.wrong, b.cycle, b.given.packets.size(), b.log.size()};
}

// Two packets have found a buffer. Then the core puts another one of the same addresses, with other tables, in front of
// it, and answers both by that one: neither page may enter the TLB, which would keep it under the first one's tables.
directed_result answers_for_an_older_list(cover& cover) {
    auto c = one_buffer();
    const auto found = c.buffers[0].second;
    c.buffers = {{1, found}};
    auto in_front = found;
    in_front.root = 0x90000;
    for (std::uint64_t number = 0x10; number < 0x20; ++number) {
        c.tables.emplace_back(entry_address(memory_space::host, 0x90000, number, 0), 0xa0001);
        c.tables.emplace_back(entry_address(memory_space::host, 0xa0000, number, 1), 0xb0001);
        c.tables.emplace_back(entry_address(memory_space::host, 0xb0000, number, 2), any_page(0x1000 + number));
    }
    const behaviour how = with_core();
    looking_core core(c, how);
    rx_bench& b = core.b;
    constexpr std::uint64_t page = 4096;
    core.stop();
    b.given.packets = {put(0, 16), put(page, 16)};
    b.feeding = true;
    b.steps(200);  // both are searched
    b.begin_command(regs::command_opcode_set_buffer, 0, encode(in_front));
    core.go_on();
    core.expect(2, "two packets");
    in_front.valid = false;
    b.begin_command(regs::command_opcode_set_buffer, 0, encode(in_front));
    b.steps(500);  // the command is done before a packet comes
    b.given.packets.push_back(put(100, 16));
    b.given.packets.push_back(put(page + 100, 16));
    core.expect(2, "pages that were answered by the other buffer");
    b.given.packets.push_back(put(200, 16));
    b.given.packets.push_back(put(page + 200, 16));
    core.expect(built().host_tlb > 1 ? 0 : 2, "pages that were answered by this one");
    core.stop();
    cover.pressure(how);
    if (core.wrong.empty()) core.wrong = b.broken;
    return {core.wrong, b.cycle, b.given.packets.size(), b.log.size()};
}

// Whatever the core answers for a look-up, the datapath does, whether BUF_LIST says so or not: each status, space and
// ring, and pages of any bits. Each packet begins in a page of its own of 4 KiB and ends in the next; every other one
// in pages of 64 KiB, too.
directed_result answers_of_the_core(cover& cover) {
    constexpr unsigned turns = 60;
    auto c = one_buffer();
    c.buffers[0].second.length = 0x10000 * (turns + 1);
    const behaviour how = with_core();
    rx_bench b(c, how);
    core_program program(b);
    b.set_up();
    b.core = {};
    core::random_source r(core::mix64(67));
    std::string wrong;
    const auto expect = [&](bool good, const char* text) {
        if (!good && wrong.empty()) wrong = text;
    };
    for (unsigned turn = 0; turn < turns && wrong.empty(); ++turn) {
        const auto status = static_cast<unsigned>(r.below(2) * r.below(5));
        const auto space = static_cast<memory_space>(r.below(5));
        const auto ring = static_cast<unsigned>(r.below(most_rings()));
        const std::array<std::uint64_t, 2> entries{r.next(), r.next()};
        const std::uint64_t offset = 0x10000 * turn + (turn % 2 == 0 ? 0xff8 : 0xfff8);
        b.log.clear();
        b.given.packets.push_back(put(offset, 16, true));
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        expect(b.out().irq, "a miss does not interrupt the core");
        b.bus(true, regs::lookup_result.offset, 0);  // not read yet: no answer
        b.bus(false, regs::lookup_header.offset);
        for (unsigned i = 0; i < 4; ++i)
            b.bus(true, regs::lookup_entry.offset + 4 * i, static_cast<std::uint32_t>(entries[i / 2] >> i % 2 * 32));
        b.bus(true, regs::lookup_result.offset,
              regs::lookup_result_status.in_place(status) |
                  regs::lookup_result_space.in_place(static_cast<std::uint32_t>(space)) |
                  regs::lookup_result_ring.in_place(ring));
        expect(b.run(), "a packet does not end");
        if (status != 0) {
            const auto reason = static_cast<drop_reason>(static_cast<unsigned>(drop_reason::no_buffer) + status - 1);
            const auto dropped = b.action(0);
            const auto* d = std::get_if<drop_action>(&dropped.what);
            expect(d != nullptr && d->reason == reason && b.log.size() == 1,
                   "a packet is not dropped as the core says");
            continue;
        }
        const std::uint64_t bits = page_bits(space), mask = (std::uint64_t{1} << bits) - 1;
        const bool two = ((offset ^ (offset + 15)) & ~mask) != 0;
        std::vector<action> wanted;
        for (unsigned half = 0; half < 2; ++half) {
            const std::uint64_t entry = entries[two ? half : 0], page = entry & ~mask;
            if (space != memory_space::host && (half == 0 || two))
                wanted.emplace_back(window_move{space, {page, static_cast<std::uint16_t>(entry >> 1 & 0x7fff)}});
            const auto from = b.given.packets.back().begin() + static_cast<std::ptrdiff_t>(word_bytes + 8 * half);
            wanted.emplace_back(data_write{space, page + ((offset + 8 * half) & mask), bytes(from, from + 8)});
        }
        expect(b.log.size() == wanted.size() + 1, "a packet has another number of actions");
        for (std::size_t i = 0; i < wanted.size(); ++i)
            expect(b.action(i).what == wanted[i], "a packet is not written where the core says");
        const auto completed = b.action(wanted.size());
        const auto* e = std::get_if<completion_event>(&completed.what);
        expect(e != nullptr && e->ring == ring, "a completion is not in the ring that the core says");
    }
    cover.pressure(how);
    return {wrong.empty() ? b.broken : wrong, b.cycle, b.given.packets.size(), 3 * b.given.packets.size()};
}

// LOOKUP_RESULT refuses a ring or a space that does not exist; the core may answer anew.
directed_result answers_that_do_not_exist(cover& cover) {
    const behaviour how = with_core();
    looking_core core(one_buffer(), how);
    rx_bench& b = core.b;
    core.stop();
    b.given.packets = {put(64, 16, true)};
    b.feeding = true;
    for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
    b.bus(false, regs::lookup_header.offset);
    b.bus(true, regs::lookup_entry.offset, 1);
    const auto refused = [&](std::uint32_t result) {
        b.bus(true, regs::lookup_result.offset, result);
        if (!b.bus_error && core.wrong.empty()) core.wrong = fmt::format("the answer {:#x} is taken", result);
    };
    for (unsigned ring = built().rings; ring < 256; ++ring) refused(regs::lookup_result_ring.in_place(ring));
    for (unsigned space = 5; space < 8; ++space) refused(regs::lookup_result_space.in_place(space));
    b.steps(50);
    if (core.wrong.empty() && !b.log.empty()) core.wrong = "a packet goes on by an answer that was refused";
    b.bus(true, regs::lookup_result.offset, 0);
    if (!b.run() && core.wrong.empty()) core.wrong = "the packet does not end";
    if (core.wrong.empty() && b.log.size() != 2) core.wrong = "the packet has no completion";
    cover.pressure(how);
    return {core.wrong.empty() ? b.broken : core.wrong, b.cycle, 1, b.log.size()};
}

// The core's pages enter the TLB after any number of packets: half of all numbers are less than that of the last
// setting of BUF_LIST, which is no reason to leave a page out.
directed_result answers_after_many_packets(cover& cover) {
    const behaviour how = with_core();
    looking_core core(one_buffer(), how);
    rx_bench& b = core.b;
    constexpr std::uint64_t page = 4096;
    constexpr std::size_t many = 33'000;
    b.given.packets.assign(many, bytes{});  // dropped by intake
    b.errors_may_be_lost = true;
    core.expect(0, "packets without words");
    for (unsigned i = 0; i < 2; ++i) {
        b.given.packets.push_back(put(i * page, 16));
        core.expect(1, "a page that is new");
        b.given.packets.push_back(put(i * page + 64, 16));
        core.expect(0, "that page once more", true);
    }
    core.stop();
    cover.pressure(how);
    return {core.wrong.empty() ? b.broken : core.wrong, b.cycle, b.given.packets.size(), b.log.size()};
}

// All bits of a command show to the core, and all bits of its answer to the driver.
directed_result command_by_the_core(cover& cover) {
    behaviour how;
    how.by_core = true;
    rx_bench b(one_buffer(), how);
    core::random_source r(core::mix64(31));
    std::string wrong;
    for (unsigned turn = 0; turn < 40; ++turn) {
        std::array<std::uint32_t, 8> data{}, shown{};
        for (auto& d : data) d = static_cast<std::uint32_t>(r.next());
        const auto opcode = static_cast<std::uint8_t>(7 + r.below(200));  // only the core gives it a meaning
        const auto index = static_cast<std::uint16_t>(r.next());
        const auto answer = static_cast<std::uint32_t>(r.next());
        b.begin_command(opcode, index, data);
        b.step();
        b.bus(true, regs::command_done.offset, answer);
        if (b.command_ended()) wrong = "a command is answered that the core has not read";
        const std::uint32_t word = b.bus(false, regs::command.offset);
        for (unsigned i = 0; i < 8; ++i) shown[i] = b.bus(false, regs::command_data.offset + 4 * i);
        if (regs::command_opcode.of(word) != opcode || regs::command_index.of(word) != index || shown != data)
            wrong = "the core is shown another command";
        b.bus(true, regs::command_done.offset, answer);
        b.step();
        if (!b.command_ended() || b.answer != answer) wrong = "the core's answer is not the driver's";
    }
    cover.pressure(how);
    return {wrong.empty() ? b.broken : wrong, b.cycle, 0, 0};
}

// The core has seen that a command waits; a reset comes in each cycle of what it does then. The command is not answered
// for what the core reads in the reset: it is carried out after it.
directed_result command_through_a_reset(cover& cover) {
    directed_result all;
    for (unsigned at = 0; at < 80; ++at) {
        auto c = one_buffer();
        c.packets = {put(64, 40, true)};
        const behaviour how = with_core();
        rx_bench b(c, how);
        core_program program(b);
        std::string wrong;
        b.set_up();
        b.hold_acknowledgements = b.feeding = true;
        for (unsigned i = 0; i < 2000 && b.log.empty(); ++i) b.step();
        auto other = c.buffers[0].second;
        other.process = 9;
        b.begin_command(regs::command_opcode_set_buffer, 1, encode(other));
        const std::uint64_t reset = b.cycle + at;
        b.soft_reset_at = reset;
        b.in_soft_reset = true;  // in any of the next accesses
        while (b.cycle <= reset) b.step();
        b.hold_acknowledgements = at % 2 == 0;
        b.steps(40);
        b.hold_acknowledgements = false;
        for (unsigned i = 0; i < 400 && (i < 100 || b.out().resetting || !b.command_ended()); ++i) b.step();
        b.in_soft_reset = false;
        if (!b.command_ended() || b.answer != 0) wrong = "a command is not carried out";
        b.core = {};
        if (wrong.empty() && b.answered > reset && (b.bus(false, b.list_word(1)) & 1) == 0)
            wrong = "a command that waited through a reset is lost";
        all.add({wrong.empty() ? b.broken : wrong, b.cycle, 1, 1});
        cover.pressure(how);
    }
    return all;
}

// A core that takes get requests without a task, before and after a reset in each cycle: none stays in the mailbox.
directed_result messages_without_tasks(cover& cover) {
    directed_result all;
    for (unsigned at = 0; at < 12; ++at) {
        auto c = one_buffer();
        c.packets = get_requests(3);
        const behaviour how = with_core();
        rx_bench b(c, how);
        std::string wrong;
        unsigned taken = 0;
        const auto take = [&] {
            if (!b.out().message_valid) return;
            for (unsigned i = 0; i < 8; ++i) b.bus(false, regs::message.offset + 4 * i);
            b.bus(true, regs::message_take.offset, 1);
            ++taken;
        };
        b.feeding = true;
        for (unsigned i = 0; i < 400 && taken < 2; ++i) {
            b.step();
            take();
        }
        b.soft_reset_at = b.cycle + at;
        b.steps(at + 1);
        b.soft_reset_at = {};
        for (unsigned i = 0; i < 100 && (i < 20 || b.out().resetting); ++i) b.step();
        b.forget();
        b.feeding = true;
        for (unsigned i = 0; i < 2000 && (b.next < 3 || b.out().message_valid); ++i) {
            b.step();
            take();
        }
        if (b.next < 3 || b.out().message_valid) wrong = "a get request stays although the core takes it";
        // What it sends then is shown: an answer that never came does not count against it.
        b.bus(true, regs::task_send.offset, 1);
        b.step();
        if (!b.out().task_valid) wrong = "a task is not shown after get requests without one";
        all.add({wrong.empty() ? b.broken : wrong, b.cycle, 6, 0});
        cover.pressure(how);
    }
    return all;
}

// A get request that the core has begun to read is removed by two resets, one after the other: the answers that it then
// gives are ignored, and those after them count.
directed_result answers_after_two_resets(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(1);
    c.packets.push_back(put(16, 100));
    const behaviour how = with_core();
    rx_bench b(c, how);
    std::string wrong;
    const auto expect = [&](bool good, const char* text) {
        if (!good && wrong.empty()) wrong = text;
    };
    const auto begin = [&] {
        b.write_entry(0, encode(c.buffers[0].second));
        b.next = 0;
        b.feeding = true;
        for (unsigned i = 0; i < 400 && b.next < 2; ++i) b.step();
        b.steps(20);
        expect(b.out().message_valid, "a get request is not shown");
    };
    b.bus(true, regs::irq_enable.offset, 7);
    begin();
    b.bus(false, regs::message.offset);
    b.bus(false, regs::lookup_header.offset);
    for (unsigned resets = 0; resets < 2; ++resets) b.soft_reset();
    begin();
    b.bus(false, regs::message.offset + 4);  // it reads on, of the next ones
    b.bus(false, regs::lookup_header.offset + 4);
    b.bus(true, regs::message_take.offset, 1);
    b.step();
    expect(b.out().message_valid, "a get request is taken by an answer to one that a reset removed");
    b.bus(true, regs::task_send.offset, 1);
    b.step();
    expect(!b.out().task_valid, "a task is sent by an answer to a get request that a reset removed");
    b.bus(true, regs::lookup_result.offset, regs::lookup_result_status.in_place(1));
    b.steps(20);
    expect(!b.out().error_valid && b.log.empty(), "a look-up is answered by what a reset removed");
    b.bus(false, regs::message.offset);
    b.bus(true, regs::message_take.offset, 1);
    b.step();
    expect(!b.out().message_valid, "a get request is not taken");
    b.bus(true, regs::task_send.offset, 1);
    b.step();
    expect(b.out().task_valid, "a task is not sent");
    cover.pressure(how);
    return {wrong.empty() ? b.broken : wrong, b.cycle, 4, 0};
}

// The transmit side's request shows in IRQ_STATUS, and interrupts if that is enabled.
directed_result transmit_interrupt(cover& cover) {
    play p(cover, one_buffer());
    for (const bool on : {true, false, true}) {
        for (const std::uint32_t enabled : {0u, regs::irq_enable_transmit.mask(), 7u}) {
            p.b.bus(true, regs::irq_enable.offset, enabled);
            p.b.in().transmit_irq = on;
            p.equal(p.read(regs::irq_status.offset), on ? regs::irq_status_transmit.mask() : 0u, "IRQ_STATUS");
            p.expect(p.b.out().irq == (on && enabled == regs::irq_enable_transmit.mask()),
                     "the interrupt is not that of the transmit side");
        }
    }
    return p.so_far();
}

// The core had begun to read a look-up that the reset removed; its answer is not that of the next look-up.
directed_result stale_answer(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(16, 100)};
    const behaviour how = with_core();
    rx_bench b(c, how);
    core_program program(b);
    std::string wrong;
    const auto serve = b.core;
    b.set_up();
    for (unsigned turn = 0; turn < 2; ++turn) {
        b.core = {};
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        if (!b.out().irq) wrong = "a miss does not interrupt the core";
        if (turn == 1) break;
        b.bus(false, regs::lookup_header.offset);
        b.soft_reset();
        b.core = serve;
        b.set_up();
    }
    b.bus(true, regs::lookup_entry.offset, 0xbad0001);
    b.bus(true, regs::lookup_result.offset, 0);
    b.steps(20);
    if (!b.log.empty()) wrong = "an answer to what a reset removed is taken";
    b.core = serve;
    if (!b.run()) wrong = "the packet does not end";
    b.core = {};
    const auto difference = first_difference(b.result(), expected_of(c));
    if (wrong.empty()) wrong = difference.empty() ? b.broken : difference;
    cover.pressure(how);
    return {wrong, b.cycle, 1, 1};
}

// The core answers in any cycle of a reset what the reset removes: its answer to the next look-up counts.
directed_result answer_in_a_reset(cover& cover) {
    directed_result all;
    for (unsigned cycles = 0; cycles < 16; ++cycles) {
        auto c = one_buffer();
        c.packets = {put(16, 100)};
        const behaviour how = with_core();
        rx_bench b(c, how);
        core_program program(b);
        std::string wrong;
        const auto serve = b.core;
        b.set_up();
        b.core = {};
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        b.bus(false, regs::lookup_header.offset);
        b.feeding = false;
        b.in().soft_reset = b.in_soft_reset = true;
        if (cycles > 0) b.step();
        b.in().soft_reset = cycles == 0;
        if (cycles > 1) b.steps(cycles - 1);
        b.bus(true, regs::lookup_result.offset, 0);
        b.in().soft_reset = false;
        for (unsigned i = 0; i < 100 && (i < 20 || b.out().resetting); ++i) b.step();
        b.in_soft_reset = false;
        b.forget();
        b.core = serve;
        b.set_up();
        b.next = 0;
        if (!b.run()) wrong = "the packet does not end";
        if (wrong.empty() && program.lookups() != 1)
            wrong = fmt::format("the core is asked {} times when it has answered {} cycles after a reset",
                                program.lookups(), cycles);
        b.core = {};
        const auto difference = first_difference(b.result(), expected_of(c));
        if (wrong.empty()) wrong = difference.empty() ? b.broken : difference;
        cover.pressure(how);
        all.add({wrong, b.cycle, 1, 1});
    }
    return all;
}

}  // namespace

const std::vector<directed_test>& core_tests() {
    static const std::vector<directed_test> tests{
        {"misses by the core", false, by_the_core},
        {"pages that the core answers", false, pages_of_the_core},
        {"answers for an older list", false, answers_for_an_older_list},
        {"any answers of the core", false, answers_of_the_core},
        {"answers of the core that do not exist", false, answers_that_do_not_exist},
        {"answers of the core after many packets", true, answers_after_many_packets},
        {"a command by the core", false, command_by_the_core},
        {"an answer to what a reset removed", false, stale_answer},
        {"an answer of the core in a reset", false, answer_in_a_reset},
        {"a command through a reset", false, command_through_a_reset},
        {"get requests without tasks", false, messages_without_tasks},
        {"answers after two resets", false, answers_after_two_resets},
        {"the transmit side's interrupt", false, transmit_interrupt},
    };
    return tests;
}

}  // namespace contraflow::testing
