// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/subjects.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/receive_tables.h"
#include "nic/receive/table_memory.h"
#include "nic_rx/core_program.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;

constexpr std::uint32_t of_buffer = regs::memory_error_packet_buffer.mask(),
                        of_list = regs::memory_error_buf_list.mask();

std::uint32_t error_of_buffer(unsigned word) {
    return of_buffer | regs::memory_error_address.in_place(word % built().buffer_words);
}
std::uint32_t error_of_list(unsigned entry) {
    return of_list | regs::memory_error_first.in_place(regs::memory_error_first_buf_list) |
           regs::memory_error_address.in_place(entry);
}

// MEMORY_ERROR, and that IRQ_STATUS says the same.
void expect_error(play& p, std::uint32_t wanted, const std::string& when) {
    p.equal(p.read(regs::memory_error.offset), wanted, "MEMORY_ERROR " + when);
    const bool told = (p.read(regs::irq_status.offset) & regs::irq_status_memory.mask()) != 0;
    p.expect(told == ((wanted & (of_buffer | of_list)) != 0), "IRQ_STATUS is wrong " + when);
}
void clear_error(play& p) { p.b.bus(true, regs::memory_error.offset, of_buffer | of_list); }

directed_result sum(const directed_result& a, const directed_result& b) {
    return {a.wrong.empty() ? b.wrong : a.wrong, a.cycles + b.cycles, a.packets + b.packets, a.actions + b.actions};
}

// One word of a packet between good ones; each bit of a word, and of its parity.
directed_result words_of_payload(cover& cover) {
    directed_result all;
    for (const std::uint32_t length : {1u, 16u, 33u, 300u}) {
        const unsigned words = (length + 15) / 16;
        for (const unsigned word : {0u, words / 2, words - 1})
            for (unsigned bit = 0; bit < nic_rx::packet_buffer_bits; bit += length == 300 && word == 0 ? 1 : 9) {
                auto c = one_buffer(length == 33 ? memory_space::gpu2 : memory_space::host);
                c.packets = {put(0, 40, true), put(4093, length, true), put(200, 16, true)};
                play p(cover, c, {.acknowledge_latency = 8});
                p.b.bus(true, regs::irq_enable.offset, regs::irq_enable_memory.mask());
                p.bad.payloads[1] = {{word, bit}};
                p.expect(!p.b.out().irq, "there is an interrupt before the error");
                const auto r = p.end();
                p.expect(p.b.out().irq, "the interrupt does not come");
                expect_error(p, error_of_buffer(3 + word), "after a bad word");
                clear_error(p);
                expect_error(p, error_of_buffer(3 + word) & ~of_buffer, "when it is cleared");
                p.expect(!p.b.out().irq, "the interrupt stays");
                all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
                if (words == 1)
                    cover.hit(group::bad_word, 3);
                else
                    cover.hit(group::bad_word, word == 0 ? 0 : word == words - 1 ? 2 : 1);
                cover.hit(group::bad_word, bit < 128 ? 4 : 5);
                if (length == 1 && bit > 8 && bit < 128) cover.hit(group::bad_word, 6);
                cover.hit(group::memory_error, 0);
                cover.hit(group::memory_error, 4);
            }
    }
    return all;
}

// Bad words all over the buffer, many packets one behind the other; each is told, and where its first bad word was.
directed_result places_in_the_buffer(cover& cover) {
    auto c = one_buffer();
    constexpr unsigned packets = 24;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(i % 4 * 4096, 4096 - 16 * (i % 5), i % 2 == 0));
    play p(cover, c);
    std::vector<std::uint32_t> wanted, told;
    unsigned stored = 0;
    for (unsigned i = 0; i < packets; ++i) {
        const unsigned until_last = built().buffer_words - 1 - stored % built().buffer_words;
        const unsigned word = until_last < 250 ? until_last : i * 37 % 250;
        if (i % 3 != 1) {
            p.bad.payloads[i] = {{word, i * 13 % 132}, {word + 2, 0}};
            wanted.push_back(error_of_buffer(stored + word));
        }
        stored += 256 - i % 5;
    }
    p.b.core = [&] {
        const std::uint32_t now = p.read(regs::memory_error.offset);
        if ((now & of_buffer) == 0) return;
        told.push_back(now);
        clear_error(p);
    };
    const auto r = p.end();
    p.expect(told == wanted, "the bad words are not told one after the other");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// Nobody reads the payload of a put that is dropped anyway. It counts once.
directed_result of_dropped_packets(cover& cover) {
    auto c = one_buffer();
    auto other = c.buffers[0].second;
    other.process = 6;
    other.writable = false;
    c.buffers.emplace_back(1, other);
    const auto of_process = [](std::uint16_t process, std::uint64_t address) {
        packet_header h;
        h.length = 100;
        h.process = process;
        h.address = address;
        h.target = {1, 2, 3};
        return packet_words(h, std::vector<std::uint8_t>(100, 0x77));
    };
    c.tables.pop_back();  // of the last page
    c.packets = {of_process(5, 0x10000), of_process(9, 0x10000), of_process(5, 0x1fff0),
                 of_process(6, 0x10000), of_process(5, 0x1f000), of_process(5, 0x10100)};
    auto crc = c.packets[0];
    crc[20] ^= 1;
    c.packets.insert(c.packets.begin() + 2, crc);
    play p(cover, c);
    for (std::size_t i = 1; i + 1 < c.packets.size(); ++i) p.bad.payloads[i] = {{0, 5}, {3, 70}};
    const auto r = p.end();
    for (const drop_reason why :
         {drop_reason::no_buffer, drop_reason::bounds, drop_reason::access, drop_reason::translation, drop_reason::crc})
        p.equal(p.b.counters().drops[static_cast<unsigned>(why)], 1u, "drops for a reason");
    expect_error(p, 0, "after packets that are dropped anyway");
    cover.hit(group::bad_word, 7);
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// A bit of parity tells of an odd number of bits: two in the same 32 pass, two in others do not.
directed_result two_bits(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 4; ++i) c.packets.push_back(put(64 * i, 64, true));
    play p(cover, c);
    p.bad.payloads = {{0, {{1, 3}, {1, 30}}}, {1, {{1, 3}, {1, 33}}}, {2, {{1, 3}, {1, 128}}}, {3, {{1, 3}, {2, 3}}}};
    const auto r = p.end();
    p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::memory)], 2u, "drops");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// The drop comes when all writes of the packet are acknowledged, as a completion would; nothing waits for good.
directed_result drop_after_acknowledgements(cover& cover) {
    auto c = one_buffer();
    c.max_payload = 64;
    for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(256 * i, 100, true));
    play p(cover, c);
    p.bad.payloads = {{0, {{6, 2}}}, {3, {{0, 2}}}, {4, {{0, 2}}}};
    p.b.bad_payloads = p.bad.payloads;
    p.b.hold_acknowledgements = true;
    p.expect(!p.b.run(300), "packets end without acknowledgements");
    for (const auto& n : p.b.log)
        p.expect(std::holds_alternative<data_write>(n.what), "a packet ends without acknowledgements");
    p.b.hold_acknowledgements = false;
    return p.end();
}

// What the packet buffer held before a reset is forgotten, and its errors are those of no packet.
directed_result words_and_resets(cover& cover, bool hard) {
    directed_result all;
    for (unsigned at = 0; at < 60; ++at) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 3; ++i) c.packets.push_back(put(64 * i, 100, true));
        play p(cover, c, {.acknowledge_latency = 9});
        p.b.bad_payloads = {{0, {{3, 4}}}, {1, {{0, 130}}}};
        p.b.feeding = true;
        p.b.steps(at);
        if (hard)
            p.b.hard_reset(at % 2);
        else
            p.b.soft_reset();
        const bool told = (p.read(regs::memory_error.offset) & of_buffer) != 0;
        p.expect(hard ? !told : told || at < 50, "an error outlives a hard reset, or no soft one");
        if (told) cover.hit(group::memory_error, 5);
        p.b.set_up();
        const auto r = p.end();
        p.expect(((p.read(regs::memory_error.offset) & of_buffer) != 0) == told, "a reset leaves a bad word behind");
        p.b.hard_reset();
        expect_error(p, 0, "after a reset");
        all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

// The bit is cleared in each cycle around the second error.
directed_result cleared_at_any_time(cover& cover) {
    directed_result all;
    std::uint64_t first = 0, second = 0;  // when an interrupt begins to show
    for (int at = -4; at < 4; ++at) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 4; ++i) c.packets.push_back(put(512 * i, 400, true));
        play p(cover, c);
        p.b.bus(true, regs::irq_enable.offset, regs::irq_enable_memory.mask());
        p.bad.payloads = {{1, {{7, 4}}}, {2, {{5, 129}}}};
        std::uint64_t wrote = 0;
        p.b.core = [&] {
            if (p.b.out().irq && first == 0) first = p.b.cycle;
            const bool now =
                at == -4 ? p.b.out().irq : p.b.cycle + 1 == second + static_cast<std::uint64_t>(at + 4) - 5;
            if (!now || wrote != 0) {
                if (at == -4 && wrote != 0 && p.b.out().irq && second == 0) second = p.b.cycle;
                return;
            }
            clear_error(p);
            wrote = p.b.cycle;
        };
        const auto r = p.end();
        // An interrupt that is seen at `second` comes from an error two cycles before; the access ended one before
        // `wrote`.
        if (at == -4) {
            p.expect(second > first, "there are no two errors");
        } else if (wrote >= second) {
            expect_error(p, error_of_buffer(25 + 7) & ~of_buffer, "cleared after both errors");
        } else {
            expect_error(p, error_of_buffer(50 + 5), "cleared between the errors");
            if (wrote + 1 == second) cover.hit(group::memory_error, 3);
        }
        all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

// Quiet cycles, and edges in them, with errors: the same actions at the same times.
directed_result quiet_with_errors(cover& cover) {
    std::array<std::vector<std::uint64_t>, 2> times;
    directed_result all;
    for (const bool edges : {false, true}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 8; ++i) c.packets.push_back(put(4096 * (i % 3) + 5 * i, 90 + 10 * i, i % 2 == 0));
        play p(cover, c, {.edges_when_quiet = edges});
        p.bad.payloads = {{1, {{6, 2}}}, {2, {{0, 2}}}, {5, {{3, 131}}}, {7, {{9, 0}}}};
        all = sum(all, p.end());
        for (const auto& n : p.b.log) times[edges ? 1 : 0].push_back(n.cycle);
        p.b.steps(20);
        p.expect(p.b.out().quiet && p.b.out().calm && p.b.out().idle, "it does not rest after errors");
        all = sum(all, {p.so_far().wrong});
    }
    if (all.wrong.empty() && times[0] != times[1]) all.wrong = "edges in quiet cycles change times";
    return all;
}

// --- BUF_LIST

// Plays the case's packets once more, and compares what they do alone.
void once_more(play& p, const std::string& when) {
    p.b.log.clear();
    p.b.next = 0;
    p.expect(p.b.run(), "a packet does not end " + when);
    receive_result is;
    for (const auto& n : p.b.log) is.actions.push_back(n.what);
    is.counters = expected_of(p.b.given, p.bad).counters;  // those of the block count all turns
    const auto difference = first_difference(is, expected_of(p.b.given, p.bad));
    p.expect(difference.empty(), fmt::format("{}: {}", when, difference));
}

// Each bit of an entry and of its parity; the driver writes the entry anew.
directed_result bits_of_an_entry(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(16, 16)};
    play p(cover, c);
    for (unsigned bit = 0; bit < nic_rx::buf_list_bits; ++bit) {
        p.b.flip_in_list(0, bit);
        p.bad.entries[0] = {0};
        once_more(p, fmt::format("with bit {} of an entry changed", bit));
        expect_error(p, error_of_list(0), "after a bad entry");
        if (bit % 2 == 0) {
            p.b.set_buffer(0, c.buffers[0].second);
        } else {
            p.b.flip_in_list(0, bit);
        }
        p.bad.entries.clear();
        clear_error(p);
        once_more(p, "when the entry is good again");
        expect_error(p, error_of_list(0) & ~of_list, "when the entry is good again");
        cover.hit(group::bad_entry, bit < 256 ? 5 + bit / 32 : 13);
    }
    cover.hit(group::memory_error, 1);
    return p.so_far();
}

// The bad entry is the one found, before it, or behind it; and what is not valid does not count.
directed_result places_in_the_list(cover& cover) {
    const unsigned entries = built().buffers;
    directed_result all;
    for (unsigned bad = 0; bad<entries; bad += entries> 64 ? 3 : 1) {
        auto c = one_buffer();
        const auto entry = c.buffers[0].second;
        auto other = entry;
        other.process = 4;
        const unsigned found = bad % 4 == 0 ? bad : bad % 4 == 1 ? entries / 2 : (bad * 5 + 3) % entries;
        for (unsigned i = 0; i < entries; ++i)
            if (i != found && i % 3 != 1) c.buffers.emplace_back(i, other);
        c.buffers.erase(c.buffers.begin());
        c.buffers.emplace_back(found, entry);
        const bool valid = bad == found || bad % 3 != 1;
        c.packets = {put(16, 16, true), put(32, 16)};
        auto none = packet_header::decode(std::span<const std::uint8_t, word_bytes>(c.packets[0].data(), word_bytes));
        none.process = 77;
        c.packets.push_back(packet_words(none, std::vector<std::uint8_t>(16, 1)));
        play p(cover, c);
        p.b.flip_in_list(bad, bad * 29 % nic_rx::buf_list_bits);
        for (std::size_t i = 0; i < c.packets.size(); ++i) p.bad.entries[i] = {bad};
        const auto r = p.end();
        expect_error(p, valid ? error_of_list(bad) : 0, fmt::format("with entry {} bad", bad));
        all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
        if (!valid)
            cover.hit(group::bad_entry, 4);
        else
            cover.hit(group::bad_entry, bad == found ? 0 : bad < found ? 1 : 2);
        if (valid) cover.hit(group::bad_entry, 3);
    }
    return all;
}

// Of several bad entries the first is told, wherever the others are, and a packet is dropped once.
directed_result several_entries(cover& cover) {
    const unsigned last = built().buffers - 1;
    const unsigned step = last > 16 ? 5 : 1;
    directed_result all;
    for (unsigned second = 2; second < last; second += step) {
        auto c = one_buffer();
        const auto entry = c.buffers[0].second;
        auto other = entry;
        other.process = 4;
        c.buffers.clear();
        for (unsigned i = 0; i < last; ++i) c.buffers.emplace_back(i, other);
        c.buffers.emplace_back(last, entry);
        c.packets = {put(16, 16, true)};
        play p(cover, c);
        p.bad.entries[0] = {1, second, last};
        for (const unsigned i : p.bad.entries[0]) p.b.flip_in_list(i, 100);
        const auto r = p.end();
        expect_error(p, error_of_list(1), "with several entries bad");
        all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

// The core reads each word of a bad entry.
directed_result read_by_the_bus(cover& cover) {
    auto c = one_buffer();
    const unsigned last = built().buffers - 1;
    for (unsigned entry = 2; entry <= last; ++entry) c.buffers.emplace_back(entry, c.buffers[0].second);
    play p(cover, c);
    const auto words = encode(c.buffers[0].second);
    for (unsigned entry = 0; entry <= last; entry += entry == 0 ? 2 : 1)
        for (unsigned bit = 1; bit < nic_rx::buf_list_bits; bit += entry == 0 || entry == last ? 7 : 41) {
            p.b.flip_in_list(entry, bit);
            const unsigned bad = bit < 256 ? bit / 32 : bit - 256;
            for (unsigned w = 0; w < words.size(); ++w) {
                const std::uint32_t change = bit < 256 && w == bad ? 1u << bit % 32 : 0;
                p.equal(p.read(p.b.list_word(entry, w)), words[w] ^ change, "a word of BUF_LIST");
                const auto told = p.read(regs::memory_error.offset) & of_list;
                p.expect((told != 0) == (w >= bad), "a bad word that the bus reads is not told, or a good one is");
            }
            expect_error(p, error_of_list(entry), "after the bus has read a bad word");
            p.b.flip_in_list(entry, bit);
            clear_error(p);
            p.b.flip_in_list(1, bit);  // it is not valid
            p.read(p.b.list_word(1, bad));
            expect_error(p, error_of_list(entry) & ~of_list, "after the bus has read what is not valid");
            cover.hit(group::bad_entry, 14);
        }
    return p.so_far();
}

// The core reads a bad word while its look-up waits: whatever it answers, the packet is dropped. The next one is not.
directed_result read_for_a_look_up(cover& cover) {
    directed_result all;
    for (const unsigned word : {0u, 5u}) {
        auto c = one_buffer();
        c.packets = {put(16, 100, true), put(4096, 100, true)};
        const rx_bench::behaviour how = with_core();
        rx_bench b(c, how);
        core_program program(b);
        const auto serve = b.core;
        b.set_up();
        b.core = {};
        b.feeding = true;
        std::string wrong;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        if (!b.out().irq) wrong = "a miss does not interrupt the core";
        b.flip_in_list(0, 32 * word + 1);
        b.bus(false, b.list_word(0, word));
        b.flip_in_list(0, 32 * word + 1);
        b.core = serve;
        if (!b.run()) wrong = "the packets do not end";
        b.core = {};
        bad_memories bad;
        bad.entries[0] = {0};
        const auto difference = first_difference(b.result(), expected_of(c, bad));
        if (wrong.empty()) wrong = difference.empty() ? b.broken : difference;
        if (wrong.empty() && b.bus(false, regs::memory_error.offset) != error_of_list(0))
            wrong = "MEMORY_ERROR does not tell of BUF_LIST";
        cover.pressure(how);
        all = sum(all, {wrong, b.cycle, 2, 3});
        cover.hit(group::bad_entry, 15);
    }
    return all;
}

// Both memories; each bit is cleared by itself, and the address is that of the first.
directed_result both_memories(cover& cover) {
    directed_result all;
    for (const bool buffer_first : {false, true}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 2; ++i) c.packets.push_back(put(64 * i, 64, true));
        play p(cover, c);
        p.bad.payloads[buffer_first ? 0 : 1] = {{2, 50}};
        p.b.bad_payloads = p.bad.payloads;
        const unsigned list_meets = buffer_first ? 1 : 0;
        p.bad.entries[list_meets] = {0};
        if (!buffer_first) p.b.flip_in_list(0, 70);
        p.b.packets_to_come = 1;
        p.expect(p.b.run(), "the first packet does not end");
        p.b.flip_in_list(0, 70);
        p.b.packets_to_come = 2;
        const auto r = p.end();
        const std::uint32_t first = buffer_first ? error_of_buffer(2) : error_of_list(0);
        expect_error(p, first | of_buffer | of_list, "of both memories");
        p.b.bus(true, regs::memory_error.offset, of_list);
        expect_error(p, (first | of_buffer) & ~of_list, "after BUF_LIST is cleared");
        p.b.bus(true, regs::memory_error.offset, ~of_buffer);
        expect_error(p, (first | of_buffer) & ~of_list, "after other bits are written");
        p.b.bus(true, regs::memory_error.offset, of_buffer);
        expect_error(p, first & ~of_buffer & ~of_list, "after both are cleared");
        all = sum(all, {p.so_far().wrong, r.cycles, r.packets, r.actions});
        cover.hit(group::memory_error, 2);
    }
    return all;
}

}  // namespace

const std::vector<directed_test>& memory_tests() {
    static const std::vector<directed_test> tests{
        {"bad words of a payload", false, words_of_payload},
        {"bad words all over the packet buffer", false, places_in_the_buffer},
        {"bad words of packets that are dropped anyway", false, of_dropped_packets},
        {"two bits of a word", false, two_bits},
        {"bad words and late acknowledgements", false, drop_after_acknowledgements},
        {"bad words and soft resets", false, [](cover& c) { return words_and_resets(c, false); }},
        {"bad words and hard resets", false, [](cover& c) { return words_and_resets(c, true); }},
        {"MEMORY_ERROR cleared around an error", false, cleared_at_any_time},
        {"quiet cycles with bad words", false, quiet_with_errors},
        {"each bit of an entry of BUF_LIST", false, bits_of_an_entry},
        {"bad entries all over BUF_LIST", false, places_in_the_list},
        {"several bad entries", false, several_entries},
        {"bad entries that the bus reads", false, read_by_the_bus},
        {"a bad entry that the core reads for a look-up", false, read_for_a_look_up},
        {"errors of both memories", false, both_memories},
    };
    return tests;
}

}  // namespace contraflow::testing
