// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/directed.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/random_case.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
#include "nic_rx/core_program.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/memory_tests.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;
using behaviour = rx_bench::behaviour;
using bytes = std::vector<std::uint8_t>;

// --- packets

bytes with(const packet_header& h, std::size_t payload) { return packet_words(h, bytes(payload, 0x5a)); }

packet_header good_header(std::uint64_t offset, std::uint16_t length) {
    const bytes words = put(offset, length);
    return packet_header::decode(std::span<const std::uint8_t, word_bytes>(words.data(), word_bytes));
}

// A packet that the check of that reason drops, and no check before it.
bytes dropped_for(drop_reason reason) {
    auto h = good_header(64, 40);
    switch (reason) {
    case drop_reason::framing: return packet_words(h, bytes(60));
    case drop_reason::crc: {
        auto p = with(h, 40);
        p[20] ^= 1;
        return p;
    }
    case drop_reason::header: h.reserved = 1; break;
    case drop_reason::length: h.length = 4097; return with(h, 4096);
    case drop_reason::misrouted: h.target.y ^= 1; break;
    case drop_reason::no_buffer: h.process = 77; break;
    case drop_reason::bounds: h.address = 0x1ffff; break;
    case drop_reason::access: h.process = 6; break;
    case drop_reason::translation: h.process = 7; break;
    case drop_reason::memory: break;  // a good packet, whose payload changes
    }
    return with(h, h.length);
}

// Beside the one buffer one that is not writable, and one without tables.
receive_case with_every_buffer() {
    auto c = one_buffer();
    auto other = c.buffers[0].second;
    other.process = 6;
    other.writable = false;
    c.buffers.emplace_back(1, other);
    other.process = 7;
    other.writable = true;
    other.root = 0x9000'0000;
    c.buffers.emplace_back(built().buffers - 1, other);
    return c;
}

directed_result drops(cover& cover, drop_reason reason) {
    constexpr unsigned burst = 5;
    directed_result all;
    for (const unsigned at : {0u, 2u, burst - 1}) {
        auto c = with_every_buffer();
        for (unsigned i = 0; i < burst; ++i)
            c.packets.push_back(i == at ? dropped_for(reason) : put(100 * i, 33, true));
        play p(cover, c);
        if (reason == drop_reason::memory) p.bad.payloads[at] = {{1, 40}};
        const auto r = p.end();
        const auto e = expected_of(c, p.bad);
        p.expect(e.counters.drops[static_cast<unsigned>(reason)] == 1 && e.counters.accepted == burst - 1,
                 "the burst is not what it should be");
        all = {p.so_far().wrong.empty() ? all.wrong : p.so_far().wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
        cover.hit(at == 0           ? group::drop_first
                  : at == burst - 1 ? group::drop_last
                                    : group::drop_middle,
                  static_cast<std::size_t>(reason));
    }
    return all;
}

// Lengths and first bytes around the bounds of pages, for every longest write.
directed_result offsets(cover& cover, memory_space space, std::uint32_t max_payload) {
    auto c = one_buffer(space);
    c.max_payload = max_payload;
    const std::uint64_t page = space == memory_space::host ? 4096 : 65536;
    c.buffers[0].second.length = 4 * page;
    std::map<std::uint64_t, std::uint64_t> entries(c.tables.begin(), c.tables.end());
    for (std::uint64_t i = 0; i < 4; ++i) {
        const std::uint64_t number = 0x10000 / page + i;
        entries[entry_address(space, 0x10000, number, 0)] = 0x20001;
        entries[entry_address(space, 0x20000, number, 1)] = 0x40001;
        entries[entry_address(space, 0x40000, number, 2)] = (2ull << 32) + (16 - i) * page + 2 * i + 1;
    }
    c.tables.assign(entries.begin(), entries.end());
    for (const std::uint32_t length : {1u, 15u, 16u, 17u, 4095u, 4096u})
        for (const std::uint64_t at :
             {page, page + 1, page + 15, 2 * page - 1, 2 * page - length, 2 * page - length + 1})
            c.packets.push_back(put(at, length, length != 15));
    return play(cover, c).end();
}

directed_result lengths_of_words(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 20; ++i) c.packets.emplace_back(16 * (i % 3));  // none, one, two
    for (unsigned i = 0; i < 3; ++i) c.packets.emplace_back(16 * (257 + i));
    c.packets.emplace_back(16 * 300);
    for (unsigned i = 0; i < 20; ++i) c.packets.push_back(put(i, 1, true));
    play p(cover, c);
    const auto r = p.end();
    bool adjoin = false;  // packets of one word, each in the cycle after the one before
    for (std::size_t i = 1; i < 20; ++i) adjoin = adjoin || p.b.begin_of(i) == p.b.begin_of(i - 1) + 1;
    p.expect(adjoin, "no packet begins in the cycle after a packet of one word");
    if (adjoin) cover.hit(group::words, 5);
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// Each bit of the destination, each reserved bit and each kind alone; the CRC is right.
directed_result bits_of_headers(cover& cover) {
    auto c = one_buffer();
    const bytes good = put(64, 40);
    const auto changed = [&](unsigned bit) {
        bytes words = good;
        words[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        const std::uint32_t crc = checksum(std::span(words).first(words.size() - word_bytes));
        for (unsigned i = 0; i < 4; ++i) words[words.size() - word_bytes + i] = static_cast<std::uint8_t>(crc >> 8 * i);
        c.packets.push_back(words);
    };
    for (unsigned bit = 111; bit < 128; ++bit) changed(bit);
    for (unsigned bit = 93; bit < 96; ++bit) changed(bit);
    for (unsigned bit = 13; bit < 16; ++bit) changed(bit);
    c.packets.push_back(good);
    play p(cover, c);
    const auto r = p.end();
    const auto n = expected_of(c).counters;
    p.equal(n.drops[static_cast<unsigned>(drop_reason::misrouted)], 15u, "packets for other nodes");
    p.equal(n.accepted, 1u, "good packets");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// --- translation

// Pages of the buffer: which packet reads which tables shows how many misses there were.
directed_result misses(cover& cover) {
    auto c = one_buffer();
    struct step {
        unsigned page, missing;  // before the first byte of the second page, or in the first page
        std::optional<unsigned> point;
    };
    enum : unsigned { hit_hit, hit_miss, miss_hit, miss_miss, hit_miss_hit };
    constexpr unsigned alone = 0x100;
    const std::array<step, 13> steps{{{0, 2, miss_miss},
                                      {0, 0, hit_hit},
                                      {2, 2, miss_miss},
                                      {1, 0, hit_hit},
                                      {4, 2, miss_miss},
                                      {5 | alone, 0, {}},
                                      {3, 0, hit_hit},
                                      {5, 1, hit_miss},
                                      {8 | alone, 1, {}},
                                      {7, 1, miss_hit},
                                      {0 | alone, 0, {}},
                                      {10 | alone, 1, {}},
                                      {0 | alone, 0, hit_miss_hit}}};
    for (const step& s : steps)
        c.packets.push_back(put((s.page % alone + 1) * 4096 - ((s.page & alone) != 0 ? 99 : 8), 16));
    play p(cover, c);
    std::uint64_t before = 0;
    if (built().host_tlb < steps.size()) return p.end();
    const auto packets = std::exchange(p.b.given.packets, {});
    for (std::size_t i = 0; i < packets.size(); ++i) {
        p.b.given.packets.push_back(packets[i]);
        p.expect(p.b.run(), "a packet does not end");
        const auto reads = p.b.table_reads - before;
        p.equal(reads, 3 * steps[i].missing, fmt::format("reads for packet {}", i));
        if (steps[i].point && reads == 3 * steps[i].missing) cover.hit(group::pages, *steps[i].point);
        before = p.b.table_reads;
    }
    return p.end();
}

// A miss whose read of a table is not answered: the packet before it is written, a beat a cycle, and those behind it
// come in, are checked and searched for. When the answer comes, they leave in consecutive cycles, as if they had not
// waited.
directed_result miss_stalls_its_packet(cover& cover) {
    auto c = one_buffer();
    c.max_payload = 4096;
    c.buffers[0].first = built().buffers - 1;  // the search takes longer than a page that hits
    enum : std::size_t { before = 1, missing, first_behind, last_behind = first_behind + 1 };
    c.packets = {put(0, 16), put(0, 4096), put(4096, 16), put(0, 16), put(16, 16)};
    play p(cover, c);
    p.b.packets_to_come = before;
    p.expect(p.b.run(), "the first packet does not end");
    if (built().buffer_words < 1024 || built().packets < 8 || built().packets_in_flight < 4 || built().writes < 4 ||
        built().host_tlb < 2) {
        p.b.packets_to_come = c.packets.size();
        return p.end();
    }
    p.b.hold_tables = true;
    p.b.packets_to_come = first_behind;
    p.b.feeding = true;
    const auto reads = p.b.table_reads;
    while (p.b.table_reads == reads && p.b.cycle < 10'000) p.b.step();
    const auto miss = p.b.cycle;
    p.b.packets_to_come = c.packets.size();
    p.b.steps(1000);
    p.equal(p.b.table_reads - reads, 1u, "reads of tables before the answer");
    p.equal(p.b.began.size(), c.packets.size(), "packets that have come in during a miss");
    p.expect(p.b.begin_of(first_behind) >= miss, "the packet behind comes in before the miss");
    p.expect(p.b.begin_of(first_behind) <= miss + 1, "the packet behind does not come in at once");
    p.equal(p.b.begin_of(last_behind) - p.b.begin_of(first_behind), 3u, "cycles between packets of three words");
    const auto written = p.b.action(p.b.log.size() - 1);
    p.equal(written.packet, before, "the last packet that is written during a miss");
    p.expect(written.last > miss, "the packet before ends before the miss");
    p.equal(written.last - written.cycle, 255u, "cycles of its write");
    p.b.hold_tables = false;
    const auto r = p.end();
    const std::uint64_t behind = p.b.first_of(first_behind).cycle;
    p.equal(behind - p.b.first_of(missing).cycle, 1u, "cycles from the packet that missed to the one behind");
    p.equal(p.b.first_of(last_behind).cycle - behind, 1u, "cycles to the next one");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// An invalidation in each cycle of a walk: what comes after it reads the tables again, as they are then.
directed_result invalidations(cover& cover) {
    directed_result all;
    for (unsigned at = 0; at < 60; ++at) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 12; ++i) c.packets.push_back(put(4096 * (i % 3), 100, true));
        play p(cover, c, {.table_latency = 5, .acknowledge_latency = 40});
        p.b.feeding = true;
        p.b.steps(at);
        for (unsigned page = 0; page < 3; ++page)
            p.b.tables[entry_address(memory_space::host, 0x40000, 0x10 + page, 2)] = 0xabcd'0001 + 0x1000 * page;
        cover.state(group::invalidate, p.b);
        p.b.begin_command(regs::command_opcode_invalidate, 0, {0x10000});
        p.b.step();
        cover.walk(p.b);
        while (!p.b.command_ended() && p.b.cycle < 5000) p.b.step();
        const std::uint64_t told = p.b.cycle;
        p.equal(p.b.answer, 0u, "the answer");
        p.expect(p.b.run(), "the packets do not end");
        for (const auto& n : p.b.log)
            if (const auto* w = std::get_if<data_write>(&n.what))
                p.expect(w->address >> 28 == 0xa || n.cycle + 40 <= told,
                         "an old translation is used after the answer");
        const auto r = p.so_far(p.b.log.size());
        all = {all.wrong.empty() ? r.wrong : all.wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
    }
    return all;
}

// The removal of all translations, of both spaces and of any root: the next packet reads the tables, and moves the
// window of its GPU.
directed_result removal_of_all(cover& cover) {
    directed_result all;
    for (const auto space : {memory_space::host, memory_space::gpu0, memory_space::gpu3}) {
        auto c = one_buffer(space);
        for (unsigned i = 0; i < 4; ++i) c.packets.push_back(put(32 * i, 16, true));
        play p(cover, c);
        const auto packets = std::exchange(p.b.given.packets, {});
        for (std::size_t i = 0; i < packets.size(); ++i) {
            const bool removed = i % 2 == 0;
            if (i == 2) p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
            const std::uint64_t reads = p.b.table_reads;
            const std::size_t actions = p.b.log.size();
            p.b.given.packets.push_back(packets[i]);
            p.expect(p.b.run(), "a packet does not end");
            p.equal(p.b.table_reads - reads, removed ? 3 : 0, fmt::format("reads for packet {}", i));
            const bool moves = std::holds_alternative<window_move>(p.b.action(actions).what);
            p.expect(moves == (removed && space != memory_space::host), fmt::format("the window at packet {}", i));
        }
        cover.hit(group::command, 5);
        const auto r = p.so_far(p.b.log.size());
        all = {all.wrong.empty() ? r.wrong : all.wrong, all.cycles + r.cycles, all.packets + packets.size(),
               all.actions + r.actions};
    }
    return all;
}

// The same in each cycle of a walk: it is answered at once, and packets that come after it read the tables again.
directed_result removals_of_all(cover& cover) {
    directed_result all;
    for (unsigned at = 0; at < 60; ++at) {
        auto c = one_buffer(memory_space::gpu2);
        for (unsigned i = 0; i < 12; ++i) c.packets.push_back(put(4096 * i, 100, true));
        play p(cover, c, {.table_latency = 5, .acknowledge_latency = 40});
        p.b.feeding = true;
        p.b.steps(at);
        p.b.tables[entry_address(memory_space::gpu2, 0x40000, 1, 2)] = 0xabcd'0001;
        p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
        const std::uint64_t told = p.b.cycle;
        p.expect(p.b.run(), "the packets do not end");
        for (const auto& n : p.b.log)
            if (const auto* w = std::get_if<data_write>(&n.what))
                p.expect(w->address >> 28 == 0xa || p.b.begin_of(n.packet) <= told,
                         "a packet that came later gets an old translation");
        const auto r = p.so_far(p.b.log.size());
        all = {all.wrong.empty() ? r.wrong : all.wrong, all.cycles + r.cycles, all.packets + c.packets.size(),
               all.actions + r.actions};
    }
    return all;
}

// Two buffers whose root tables differ in one bit of their addresses. The removal of one table's translations leaves
// those of the other, and the next packet of its own reads the tables again.
directed_result removal_of_a_root(cover& cover, memory_space space) {
    auto c = one_buffer(space);
    auto own = c.buffers[0].second, other = own;
    other.process = 6;
    play p(cover, c);
    const bool both_fit = (space == memory_space::host ? built().host_tlb : built().gpu_tlb) >= 2;
    const auto reads_for = [&](const buffer_entry& b) {
        auto h = good_header(64, 16);
        h.process = b.process;
        const std::uint64_t before = p.b.table_reads;
        p.b.given.packets.push_back(with(h, 16));
        p.expect(p.b.run(), "a packet does not end");
        return p.b.table_reads - before;
    };
    const std::uint64_t first = core::random_source(core::mix64(53)).next() | 1;
    for (unsigned bit = 0; bit < 64; ++bit) {
        own.root = first;
        other.root = first ^ std::uint64_t{1} << bit;
        p.b.set_buffer(0, own);
        p.b.set_buffer(1, other);
        for (const buffer_entry& b : {own, other})
            p.b.tables[entry_address(space, b.root, b.base >> page_bits(space), 0)] = 0x20001;
        reads_for(own);
        reads_for(other);
        for (const auto& [removed, kept] : {std::pair{other, own}, std::pair{own, other}}) {
            const std::array<std::uint32_t, 8> root{static_cast<std::uint32_t>(removed.root),
                                                    static_cast<std::uint32_t>(removed.root >> 32)};
            p.equal(p.b.command(regs::command_opcode_invalidate, 0, root), 0u, "the answer");
            if (both_fit) p.equal(reads_for(kept), 0u, fmt::format("reads of the other table, bit {}", bit));
            p.equal(reads_for(removed), 3u, fmt::format("reads after an invalidation, bit {}", bit));
        }
    }
    cover.hit(group::removed_root, space == memory_space::host ? 0 : 1);
    return p.so_far(p.b.log.size());
}

directed_result window_tokens(cover& cover) {
    const auto c = two_tokens_of_a_page();
    play p(cover, c);
    const auto r = p.end();
    const auto moves = std::count_if(p.b.log.begin(), p.b.log.end(),
                                     [](const auto& n) { return std::holds_alternative<window_move>(n.what); });
    p.equal(moves, 4, "moves of the window");
    if (moves == 4) cover.hit(group::window, 5);
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

// One buffer of more pages than a TLB has entries.
constexpr unsigned most_pages = 80;
receive_case many_pages_of(memory_space space) {
    auto c = one_buffer(space);
    const std::uint64_t page = 1ull << page_bits(space), first = 0x10000 / page;
    c.buffers[0].second.length = most_pages * page;
    c.tables.clear();
    for (unsigned i = 0; i < most_pages; ++i)
        c.tables.emplace_back(entry_address(space, 0x40000, first + i, 2), (i + 5) * page * 3 | 1);
    c.tables.emplace_back(entry_address(space, 0x10000, first, 0), 0x20001);
    c.tables.emplace_back(entry_address(space, 0x20000, first, 1), 0x40001);
    return c;
}

// Each entry of a TLB that is full: it hits; the removal of all translations, or of those of its root, removes it; that
// of another root does not; and the oldest one alone gives way to another page.
directed_result entries_of_a_tlb(cover& cover, memory_space space) {
    const unsigned entries = space == memory_space::host ? built().host_tlb : built().gpu_tlb;
    constexpr std::uint64_t roots[2] = {0x10000, 0x18000};
    auto c = many_pages_of(space);
    auto other = c.buffers[0].second;
    other.process = 6;
    other.root = roots[1];
    c.buffers.emplace_back(1, other);
    c.tables.emplace_back(entry_address(space, roots[1], other.base >> page_bits(space), 0), 0x20001);
    play p(cover, c);
    const auto root_of = [](unsigned i) { return i % 3 == 1; };
    const auto expect = [&](unsigned i, unsigned reads, const char* when) {
        auto h = good_header((std::uint64_t{i} << page_bits(space)) + 8, 16);
        h.process = root_of(i) ? 6 : 5;
        const std::uint64_t before = p.b.table_reads;
        p.b.given.packets.push_back(with(h, 16));
        p.expect(p.b.run(), "a packet does not end");
        p.equal(p.b.table_reads - before, reads, fmt::format("reads for page {} {}", i, when));
    };
    const auto all = [&](unsigned reads, const char* when) {
        for (unsigned i = 0; i < entries; ++i) expect(i, reads, when);
    };
    all(3, "of an empty TLB");
    all(0, "of a full TLB");
    for (const bool removed : {false, true}) {
        const std::array<std::uint32_t, 8> root{static_cast<std::uint32_t>(roots[removed ? 1 : 0])};
        p.equal(p.b.command(regs::command_opcode_invalidate, 0, root), 0u, "the answer");
        for (unsigned i = 0; i < entries; ++i)
            if (root_of(i) != removed) expect(i, 0, "when the other root's are removed");
        for (unsigned i = 0; i < entries; ++i)
            if (root_of(i) == removed) expect(i, 3, "when its root's are removed");
        p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
        all(3, "when all are removed");
        all(0, "of a TLB that is full again");
    }
    expect(entries, 3, "more than there are entries");
    for (unsigned i = 1; i < entries; ++i) expect(i, 0, "when the oldest gave way");
    expect(0, 3, "that was the oldest");
    return p.so_far(p.b.log.size());
}

// More pages than a TLB has entries; the tables answer in the cycle of their reads.
directed_result many_pages(cover& cover, memory_space space) {
    auto c = many_pages_of(space);
    for (unsigned turn = 0; turn < 2; ++turn)
        for (std::uint64_t i = 0; i < most_pages; ++i) c.packets.push_back(put((i << page_bits(space)) + 8, 16));
    behaviour how;
    how.entries_at_once = true;
    return play(cover, c, how).end();
}

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
        all = {all.wrong.empty() ? wrong : all.wrong, all.cycles + b.cycle, all.packets + c.packets.size(),
               all.actions + result.actions.size()};
        cover.pressure(how);
    }
    return all;
}

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
    behaviour how;
    how.by_core = true;
    how.rings = most_rings();
    rx_bench b(c, how);
    core_program program(b);
    const auto serve = b.core;
    b.set_up();
    std::string wrong;
    const auto expect = [&](std::uint64_t offset, unsigned lookups, const char* what) {
        const unsigned before = program.lookups();
        b.given.packets.push_back(put(offset, 16));
        if (!b.run() && wrong.empty()) wrong = "a packet does not end";
        const unsigned is = program.lookups() - before;
        if (built().host_tlb >= 12 && is != lookups && wrong.empty())
            wrong = fmt::format("{} look-ups for {}, not {}", is, what, lookups);
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
        b.core = {};
        b.given.packets.push_back(put(offset, 16));
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        if (meanwhile == buffer_set)
            b.begin_command(regs::command_opcode_set_buffer, 1, encode(other));
        else
            b.begin_command(regs::command_opcode_invalidate, 0, {0x9000});  // of no buffer
        b.core = serve;
        if (!b.run() && wrong.empty()) wrong = "a packet does not end";
        expect(offset, 1, "a page that was answered while settings changed");
        expect(offset, 0, "that page once more");
    }
    b.core = {};
    const auto difference = first_difference(b.result(), expected_of(b.given));
    if (wrong.empty()) wrong = difference.empty() ? b.broken : difference;
    cover.pressure(how);
    return {wrong, b.cycle, b.given.packets.size(), b.log.size()};
}

// Whatever the core answers for a look-up, the datapath does, whether BUF_LIST says so or not: each status, space and
// ring, and pages of any bits. Each packet begins in a page of its own of 4 KiB and ends in the next.
directed_result answers_of_the_core(cover& cover) {
    constexpr unsigned turns = 60;
    auto c = one_buffer();
    c.buffers[0].second.length = 0x2000 * turns;
    behaviour how;
    how.by_core = true;
    how.rings = most_rings();
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
        const std::uint64_t offset = 0x2000 * turn + 0xff8;
        b.log.clear();
        b.given.packets.push_back(put(offset, 16, true));
        b.feeding = true;
        for (unsigned i = 0; i < 300 && !b.out().irq; ++i) b.step();
        expect(b.out().irq, "a miss does not interrupt the core");
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
        const std::uint64_t bits = page_bits(space), page = entries[0] >> bits << bits;
        std::vector<action> wanted;
        const bytes payload(b.given.packets.back().begin() + word_bytes, b.given.packets.back().end() - word_bytes);
        const bytes low(payload.begin(), payload.begin() + 8), high(payload.begin() + 8, payload.end());
        if (space != memory_space::host)
            wanted.emplace_back(window_move{space, {page, static_cast<std::uint16_t>(entries[0] >> 1 & 0x7fff)}});
        wanted.emplace_back(data_write{space, page + ((0x10000 + offset) & ((1u << bits) - 1)), low});
        wanted.emplace_back(data_write{space,
                                       space == memory_space::host
                                           ? entries[1] >> bits << bits
                                           : page + ((0x10000 + offset + 8) & ((1u << bits) - 1)),
                                       high});
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

// --- BUF_LIST and rings

directed_result empty_list(cover& cover) {
    auto c = one_buffer();
    c.buffers.clear();
    for (unsigned i = 0; i < 10; ++i) c.packets.push_back(put(i, 20));
    return play(cover, c).end();
}

directed_result full_list(cover& cover) {
    auto c = one_buffer();
    auto entry = c.buffers[0].second;
    c.buffers.clear();
    for (unsigned i = 0; i < built().buffers; ++i) {
        entry.process = static_cast<std::uint16_t>(5 + i / 2);  // the lower one of two counts
        entry.ring = static_cast<std::uint8_t>(i % most_rings());
        c.buffers.emplace_back(i, entry);
    }
    for (unsigned i = 0; i < 80; ++i) {
        auto h = good_header(16 * i, 16);
        h.process = static_cast<std::uint16_t>(5 + i % (built().buffers / 2 + 2));
        h.notify = true;
        c.packets.push_back(with(h, 16));
    }
    play p(cover, c);
    cover.hit(group::list, 1);
    return p.end();
}

// Buffers of any base and length, and packets around their first and their last byte. None is writable: what a packet
// is dropped for tells whether its first and its last byte are in the buffer.
directed_result ends_of_buffers(cover& cover) {
    core::random_source r(core::mix64(41));
    const auto any = [&] { return r.next() >> 16 >> (r.below(2) == 0 ? 0 : r.below(48)); };
    directed_result all;
    for (unsigned turn = 0; turn < 24; ++turn) {
        auto c = one_buffer();
        c.buffers.clear();
        for (unsigned i = 0; i < 8; ++i) {
            buffer_entry e;
            e.valid = true;
            e.process = static_cast<std::uint16_t>(r.below(0xfff0) / 8 * 8 + i);
            e.base = r.below(16) == 0 ? r.next() : any();
            e.length = r.below(16) == 0 ? r.next() : any() + 1;
            if (r.below(8) == 0) e.length = address_space - e.base % address_space;  // to the end of the address space
            c.buffers.emplace_back(i, e);
            packet_header h = good_header(0, static_cast<std::uint16_t>(1 + r.below(40)));
            h.process = e.process;
            const std::uint64_t end = e.base + e.length;
            for (const std::uint64_t first :
                 {e.base - 1, e.base, end - h.length, end - h.length + 1, end - 1, end, any(), end + any()}) {
                h.address = first & (address_space - 1);
                c.packets.push_back(with(h, h.length));
            }
        }
        play p(cover, c);
        const auto one = p.end();
        const auto n = expected_of(c).counters.drops;
        const auto hit = [&](drop_reason reason, unsigned point) {
            if (n[static_cast<unsigned>(reason)] != 0) cover.hit(group::buffer_end, point);
        };
        hit(drop_reason::no_buffer, 0);
        hit(drop_reason::bounds, 1);
        hit(drop_reason::access, 2);
        all = {all.wrong.empty() ? one.wrong : all.wrong, all.cycles + one.cycles, all.packets + one.packets,
               all.actions + one.actions};
    }
    return all;
}

// The core writes the list: any bits, among them rings and spaces that do not exist. No packet is for these entries.
directed_result any_bits_in_the_list(cover& cover) {
    auto c = one_buffer();
    c.buffers.clear();
    core::random_source r(core::mix64(77));
    play p(cover, c);
    for (unsigned turn = 0; turn < 4; ++turn) {
        std::vector<std::array<std::uint32_t, 8>> written(built().buffers);
        for (unsigned i = 0; i < built().buffers; ++i)
            for (unsigned w = 0; w < 8; ++w) {
                written[i][w] = static_cast<std::uint32_t>(r.next());
                if (w == 0) written[i][w] = (written[i][w] | 1u) & ~(0x10000u << turn);
                p.b.bus(true, 0x1000 + 32 * i + 4 * w, written[i][w]);
            }
        cover.hit(group::bus, 1);
        for (unsigned i = 0; i < built().buffers; ++i) {
            auto h = good_header(r.next() & 0xffff'ffff, 16);
            h.process = static_cast<std::uint16_t>(r.next() | 0x1u << turn);  // of no entry
            h.address = r.next() & (address_space - 1);
            p.b.given.packets.push_back(with(h, 16));
            for (unsigned w = 0; w < 8; ++w)
                p.equal(p.read(0x1000 + 32 * i + 4 * w), written[i][w], "an entry of the list");
        }
        p.expect(p.b.run(), "the packets do not end");
    }
    p.b.bus(true, 0x1000 + 32 * built().buffers, 0);
    p.expect(p.b.bus_error, "the bus takes an entry behind the list");
    return p.end();
}

// An entry that the core writes word by word is not found between its first and its last word: here neither the old one
// nor the new one holds the packets, and a mixture would.
directed_result half_written_entries(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 60; ++i) c.packets.push_back(put(0x10010, 16));
    play p(cover, c);
    p.b.feeding = true;
    auto other = c.buffers[0].second;
    other.base = 0x18000;
    other.length = 0x4000;
    const auto words = encode(other);
    for (unsigned i = 0; i < 8; ++i) {
        p.b.steps(10);
        p.b.bus(true, 0x1000 + 4 * i, words[i]);
    }
    p.expect(p.b.run(), "the packets do not end");
    p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], 60u, "packets without a buffer");
    p.b.given.packets = {put(0x8000, 16)};
    p.b.next = 0;
    p.expect(p.b.run(), "the packet does not end");
    p.equal(p.b.counters().accepted, 1u, "packets that find the new entry");
    return p.so_far(61);
}

// A completion for a ring that does not exist waits; a reset removes it.
directed_result no_such_ring(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(0, 16, true), put(16, 16, true)};
    play p(cover, c);
    // Each bit of its number tells.
    for (const unsigned ring : {built().rings, 0x1u, 0x2u, 0x4u, 0x8u, 0x10u, 0x20u, 0x40u, 0x80u, 0xffu}) {
        if (ring < built().rings || ring > 0xff) continue;
        auto words = encode(c.buffers[0].second);
        words[0] |= ring << 8;
        for (unsigned w = 0; w < 8; ++w) p.b.bus(true, 0x1000 + 4 * w, words[w]);
        for (std::uint32_t count = 1; count != 0; count <<= 1)  // of a ring that does not exist: ignored
        {
            p.b.consume(static_cast<std::uint8_t>(ring), count);
            p.b.steps(2);
        }
        p.expect(!p.b.run(300), "a completion is written to a ring that does not exist");
        p.equal(p.b.log.size(), std::min(built().packets_in_flight, 2u), "writes");
        cover.hit(group::ring, 3);
        p.b.soft_reset();
        p.b.set_up();
    }
    return p.end();
}

// One place in the ring, and a host that reads late; meanwhile packets come, or nothing does.
directed_result full_ring(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 12; ++i) c.packets.push_back(put(4096 * i, i % 3 == 0 ? 2000 : 16, true));
    play p(cover, c, {.ring_entries = 2, .empty_rings = false});
    p.b.core = [&] {
        if (p.b.ring_full(0)) cover.full_ring(p.b);
    };
    for (std::uint32_t read = 1; read <= 10; ++read) {
        p.expect(!p.b.run(read % 3 == 0 ? 30 : 900), "a completion is written into a full ring");
        const auto events = std::count_if(p.b.log.begin(), p.b.log.end(), [](const auto& n) {
            return std::holds_alternative<completion_event>(n.what);
        });
        if (read % 3 != 0) p.equal(events, read + 1, "completions");
        cover.hit(group::ring, 2);
        p.b.consume(0, read);
    }
    return p.end();
}

// Rings of any size, at which one entry is free or none, as the host tells by counts that wrap. With a core, it sets
// them up.
directed_result sizes_of_rings(cover& cover, bool by_core) {
    auto c = one_buffer();
    behaviour how;
    how.by_core = by_core;
    how.empty_rings = false;
    how.rings = most_rings();
    how.acknowledge_latency = 3;
    rx_bench b(c, how);
    std::optional<core_program> core;
    if (by_core) core.emplace(b);
    b.set_up();
    std::string wrong;
    const auto put_one = [&](bool ends, const char* text) {
        b.given.packets.push_back(put(16 * (b.given.packets.size() % 200), 16, true));
        if (b.run(by_core ? 300 : 80) != ends && wrong.empty()) wrong = text;
    };
    const auto read = [&](unsigned ring, std::uint32_t count, const char* text) {
        b.consume(static_cast<std::uint8_t>(ring), count);
        if (!b.run() && wrong.empty()) wrong = text;
    };
    for (unsigned ring = 0; ring < (by_core ? 1 : most_rings()); ++ring) {
        auto entry = c.buffers[0].second;
        entry.ring = static_cast<std::uint8_t>(ring);
        b.set_buffer(0, entry);
        for (unsigned bit = 0; bit < 32 && wrong.empty(); ++bit) {
            const std::uint32_t entries = (std::uint32_t{1} << bit) + 1;
            b.set_ring(ring, entries);
            b.consume(static_cast<std::uint8_t>(ring), 0 - entries);
            b.steps(2);
            put_one(false, "a completion is written into a full ring");
            read(ring, 1 - entries, "no completion is written although an entry is free");
            put_one(false, "a second completion is written although one entry was free");
            read(ring, 1, "no completion is written into an empty ring");
            put_one(true, "no completion is written after others");
            if (b.completions(ring) != 3 && wrong.empty()) wrong = "completions are missing";
        }
    }
    cover.pressure(how);
    cover.hit(group::ring, 2);
    return {wrong.empty() ? b.broken : wrong, b.cycle, b.given.packets.size(), 2 * b.given.packets.size()};
}

// What must wait for a full ring, or must not.
directed_result full_ring_and(cover& cover) {
    enum : unsigned { invalidation_waits, soft, hard, set_anew };
    directed_result all;
    for (const unsigned what : {invalidation_waits, soft, hard, set_anew}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * i, 16, true));
        play p(cover, c, {.ring_entries = 2, .empty_rings = false});
        p.expect(!p.b.run(400) && p.b.ring_full(0), "the ring does not fill");
        cover.hit(group::ring_full_and, what);
        if (what == invalidation_waits) {
            p.b.begin_command(regs::command_opcode_invalidate, 0, {0x10000});
            p.b.steps(100);
            p.expect(!p.b.command_ended(), "an invalidation is answered before the packets that wait for a ring");
        } else if (what == set_anew) {
            p.b.set_ring(0);
        } else {
            if (what == soft) {
                p.b.soft_reset();
            } else {
                p.b.hard_reset();
            }
            p.b.set_up();
        }
        p.b.core = [&] {
            if (p.b.ring_full(0)) p.b.consume_all(0);
        };
        const auto r = p.end();
        p.expect(p.b.command_ended(), "an invalidation is not answered");
        all = {all.wrong.empty() ? p.so_far().wrong : all.wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
    }
    return all;
}

// The host says at any time how much it has read of a ring, the same again or more, also in the cycle in which a
// completion is written.
directed_result late_readers(cover& cover) {
    directed_result all;
    for (const std::uint32_t entries : {1u, 2u, 3u, 8u}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 150; ++i) c.packets.push_back(put(16 * i, 16, true));
        play p(cover, c, {.acknowledge_latency = 3, .ring_entries = entries, .empty_rings = false});
        core::random_source r(core::mix64(entries));
        std::uint32_t read = 0;
        p.b.core = [&] {
            if (r.below(3) == 0) return;
            read += static_cast<std::uint32_t>(r.below(p.b.completions(0) - read + 1));
            p.b.consume(0, read);
        };
        const auto one = p.end();
        p.equal(p.b.completions(0), 150u, "completions");
        if (p.b.read_and_written) cover.hit(group::ring, 4);
        all = {all.wrong.empty() ? p.so_far().wrong : all.wrong, all.cycles + one.cycles, all.packets + one.packets,
               all.actions + one.actions};
    }
    return all;
}

// --- what holds it up

directed_result no_acknowledgements(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(4096 * (i % 15), 4096, true));
    play p(cover, c);
    p.b.hold_acknowledgements = true;
    p.expect(!p.b.run(2000), "packets end without acknowledgements");
    p.equal(p.b.log.size(), built().writes, "writes");
    p.expect(!p.b.out().in_ready, "it takes words without room for them");
    p.b.hold_acknowledgements = false;
    return p.end();
}

std::vector<std::vector<std::uint8_t>> get_requests(std::uint8_t count) {
    packet_header h = good_header(0, 16);
    h.kind = 1;
    std::vector<std::vector<std::uint8_t>> all;
    for (std::uint8_t i = 0; i < count; ++i) all.push_back(packet_words(h, bytes(16, i)));
    return all;
}

directed_result full_mailbox(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(40);
    play p(cover, c);
    p.b.hold_messages = true;
    p.expect(!p.b.run(500), "messages end that nobody takes");
    p.expect(p.b.log.empty(), "a message is taken");
    p.b.hold_messages = false;
    return p.end();
}

directed_result errors_are_lost(cover& cover) {
    auto c = one_buffer();
    constexpr unsigned drops = 50, places = 16;
    for (unsigned i = 0; i < drops; ++i) c.packets.push_back(dropped_for(drop_reason::no_buffer));
    play p(cover, c);
    p.b.hold_errors = p.b.errors_may_be_lost = true;
    p.b.feeding = true;
    while (p.b.next < drops && p.b.cycle < 20'000) p.b.step();
    p.b.steps(20 + built().packets * (built().buffers / built().search_rate + 2));
    p.equal(p.b.out().errors_lost, drops - places, "drops that had no room");
    p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], drops, "drops that are counted");
    p.b.hold_errors = false;
    p.expect(p.b.run(), "the drops are not shown");
    p.equal(p.b.log.size(), places, "drops that are shown");
    return p.so_far();
}

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
        p.b.bus(true, 0x1000 + 32 * 2 + 4 * (i % 8), 0);
        waited = waited || p.b.cycle > before + 2;
    }
    p.expect(waited, "no write waits for a search");
    p.b.hold_dma = true;  // a completion is offered: no ring may be set up
    p.b.steps(30);
    for (unsigned place = 0; place < regs::memory_error.offset / 4 + 1; ++place) {
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

// The driver sets buffers while others are searched: when it is answered, the entry is as it was given.
directed_result buffers_set_in_traffic(cover& cover) {
    auto c = one_buffer();
    auto other = c.buffers[0].second;
    c.buffers = {{built().buffers - 1, other}};
    for (unsigned i = 0; i < 100; ++i) c.packets.push_back(put(16 * i, 16));
    play p(cover, c);
    core::random_source r(core::mix64(61));
    p.b.feeding = true;
    for (unsigned i = 0; i < 40; ++i) {
        other.process = static_cast<std::uint16_t>(1000 + i);  // of no packet
        other.base = r.next() & (address_space - 1);
        other.root = r.next();
        const unsigned index = i % (built().buffers - 1);
        p.b.set_buffer(index, other);
        const auto words = encode(other);
        for (unsigned w = 0; w < words.size(); ++w)
            p.equal(p.read(0x1000 + 32 * index + 4 * w), words[w], "a word of a buffer that was set in traffic");
    }
    return p.end();
}

// A task hides the next get request until the transmit side has taken it; a soft reset removes it.
directed_result tasks(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(2);
    play p(cover, c);
    p.b.hold_messages = true;
    for (unsigned turn = 0; turn < 2; ++turn) {
        for (unsigned i = 0; i < 8; ++i) p.b.bus(true, regs::task.offset + 4 * i, turn == 0 ? 0xffff'ffff : 0);
        p.b.feeding = true;
        p.b.steps(60);
        p.equal(p.read(regs::irq_status.offset), regs::irq_status_message.mask(), "IRQ_STATUS");
        p.b.bus(true, regs::task_send.offset, 0);
        p.b.step();
        p.expect(p.b.out().task_valid, "a task is not shown");
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

// --- the driver and the core

directed_result registers_after_reset(cover& cover) {
    constexpr unsigned registers = regs::memory_error.offset / 4 + 1;
    play p(cover, one_buffer());
    p.b.hard_reset();
    for (unsigned place = 0; place < registers; ++place) {
        std::uint32_t wanted = 0;
        for (const auto& r : regs::all)
            if (r.offset == 4 * place) wanted = r.reset;
        if (4 * place == regs::buf_list.offset) wanted = built().list_base;
        if (4 * place == regs::buf_list_entries.offset) wanted = built().buffers;
        p.equal(p.read(4 * place), wanted, fmt::format("the register at {:#x}", 4 * place));
        p.expect(!p.b.bus_error, "a register cannot be read");
    }
    for (unsigned i = 0; i < built().buffers; ++i) p.equal(p.read(0x1000 + 32 * i) & 1, 0u, "a buffer's valid bit");
    p.b.bus(false, 4 * registers);
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
        for (unsigned i = 0; i < built().buffers; ++i) p.equal(p.read(0x1000 + 32 * i) & 1, 0u, "a buffer's valid bit");
        const auto r = p.so_far();
        last = {last.wrong.empty() ? r.wrong : last.wrong, last.cycles + r.cycles, last.packets + 10, last.actions};
    }
    return last;
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
        const auto opcode = static_cast<std::uint8_t>(7 + r.below(200));  // of a meaning to the core alone
        const auto index = static_cast<std::uint16_t>(r.next());
        const auto answer = static_cast<std::uint32_t>(r.next());
        b.begin_command(opcode, index, data);
        b.step();
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
        all = {all.wrong.empty() ? r.wrong : all.wrong, all.cycles + r.cycles, all.packets + 2,
               all.actions + r.actions};
    }
    return all;
}

// The core had begun to read a look-up that the reset removed; its answer is not that of the next look-up.
directed_result stale_answer(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(16, 100)};
    behaviour how;
    how.by_core = true;
    how.rings = most_rings();
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

// --- times

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
        all = {all.wrong.empty() ? p.so_far().wrong : all.wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
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

// quiet_o and calm_o are high while nothing happens, and low while a packet comes in.
directed_result quiet_and_calm(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * (i % 3), 200, i % 2 == 0));
    play p(cover, c, {.edges_when_quiet = true});
    const auto rests = [&](const char* when) {
        p.b.steps(20);
        p.expect(p.b.out().quiet && p.b.out().calm && p.b.out().idle, fmt::format("it does not rest {}", when));
    };
    rests("before the packets");
    p.b.feeding = true;
    bool awake = false;
    for (unsigned i = 0; i < 20; ++i) {
        p.b.step();
        awake = awake || (!p.b.out().quiet && !p.b.out().calm);
    }
    p.expect(awake, "it rests while a packet is looked up");
    p.expect(p.b.run(), "the packets do not end");
    rests("after the packets");
    p.b.soft_reset();
    rests("after a reset");
    p.b.set_up();
    return p.end();
}

// Each side that does not go on stops the datapath, and it rests until that side does: its clock may stop.
directed_result rests_while_it_waits(cover& cover) {
    enum : unsigned { dma, acknowledgements, tables, messages, a_ring, sides };
    directed_result all;
    for (unsigned side = 0; side < sides; ++side) {
        auto c = one_buffer();
        c.max_payload = 64;
        for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(4096 * (i % 3) + 8 * i, 2000, i % 2 == 1));
        if (side == messages) c.packets = get_requests(40);
        play p(cover, c, {.ring_entries = side == a_ring ? 1u : 4096u, .empty_rings = side != a_ring});
        p.b.hold_dma = side == dma;
        p.b.hold_acknowledgements = side == acknowledgements;
        p.b.hold_tables = side == tables;
        p.b.hold_messages = side == messages;
        p.expect(!p.b.run(1000), fmt::format("packets end although side {} does not go on", side));
        p.expect(p.b.out().quiet && p.b.out().calm, fmt::format("it does not rest while it waits for side {}", side));
        p.b.hold_dma = p.b.hold_acknowledgements = p.b.hold_tables = p.b.hold_messages = false;
        p.b.core = [&] {
            if (side == a_ring && p.b.ring_full(0)) p.b.consume_all(0);
        };
        const auto r = p.end();
        all = {all.wrong.empty() ? p.so_far().wrong : all.wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
    }
    return all;
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
        all = {all.wrong.empty() ? r.wrong : all.wrong, all.cycles + r.cycles, all.packets + r.packets,
               all.actions + r.actions};
    }
    return all;
}

// --- numbers

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
    while (p.b.next < packets && p.b.cycle < 1'000'000) {
        p.b.hold_errors = p.b.next < 36'000;
        p.b.step();
    }
    p.b.steps(200);
    p.expect(p.b.done(), "it does not end");
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

const std::vector<directed_test>& directed_tests() {
    static const std::vector<directed_test> tests = [] {
        std::vector<directed_test> list;
        for (unsigned r = 0; r < drop_reasons; ++r)
            list.push_back({fmt::format("drop for {} in a burst", drop_names[r]), false,
                            [r](cover& c) { return drops(c, static_cast<drop_reason>(r)); }});
        for (std::uint32_t payload = 64; payload <= 4096; payload *= 2)
            for (const auto space : {memory_space::host, memory_space::gpu2})
                list.push_back({fmt::format("page offsets, {}, writes of {}",
                                            space == memory_space::host ? "host" : "GPU", payload),
                                false, [=](cover& c) { return offsets(c, space, payload); }});
        list.insert(
            list.end(),
            {{"numbers of words", false, lengths_of_words},
             {"bits of headers", false, bits_of_headers},
             {"entries written word by word", false, half_written_entries},
             {"pages that miss", false, misses},
             {"a miss stalls its packet alone", false, miss_stalls_its_packet},
             {"invalidation in each cycle of a walk", false, invalidations},
             {"removal of all translations", false, removal_of_all},
             {"removal of all translations in each cycle of a walk", false, removals_of_all},
             {"removal of one root's translations, host", false,
              [](cover& c) { return removal_of_a_root(c, memory_space::host); }},
             {"removal of one root's translations, GPU", false,
              [](cover& c) { return removal_of_a_root(c, memory_space::gpu1); }},
             {"tokens of a window", false, window_tokens},
             {"each entry of the host TLB", false, [](cover& c) { return entries_of_a_tlb(c, memory_space::host); }},
             {"each entry of the GPU TLB", false, [](cover& c) { return entries_of_a_tlb(c, memory_space::gpu1); }},
             {"more pages than the host TLB has entries", false,
              [](cover& c) { return many_pages(c, memory_space::host); }},
             {"more pages than the GPU TLB has entries", false,
              [](cover& c) { return many_pages(c, memory_space::gpu3); }},
             {"misses by the core", false, by_the_core},
             {"pages that the core answers", false, pages_of_the_core},
             {"any answers of the core", false, answers_of_the_core},
             {"BUF_LIST empty", false, empty_list},
             {"BUF_LIST full", false, full_list},
             {"BUF_LIST with any bits", false, any_bits_in_the_list},
             {"ends of buffers", false, ends_of_buffers},
             {"a ring that does not exist", false, no_such_ring},
             {"a full ring", false, full_ring},
             {"rings of any size", false, [](cover& c) { return sizes_of_rings(c, false); }},
             {"rings of any size, by the core", false, [](cover& c) { return sizes_of_rings(c, true); }},
             {"what comes while a ring is full", false, full_ring_and},
             {"a host that reads at any time", false, late_readers},
             {"no acknowledgements", false, no_acknowledgements},
             {"a full mailbox", false, full_mailbox},
             {"errors are lost, and counted", false, errors_are_lost},
             {"the bus waits", false, bus_waits},
             {"buffers set in traffic", false, buffers_set_in_traffic},
             {"tasks", false, tasks},
             {"registers right after reset", false, registers_after_reset},
             {"the driver's RESET", false, reset_by_the_driver},
             {"a command by the core", false, command_by_the_core},
             {"a command in a reset", false, command_in_a_reset},
             {"a packet in a reset", false, packet_in_a_reset},
             {"an answer to what a reset removed", false, stale_answer},
             {"a soft reset in any cycle", false, [](cover& c) { return resets(c, false); }},
             {"a hard reset in any cycle", false, [](cover& c) { return resets(c, true); }},
             {"throughput", false, throughput},
             {"short packets", false, short_packets},
             {"latency", false, latency},
             {"quiet and calm", false, quiet_and_calm},
             {"quiet while it waits", false, rests_while_it_waits},
             {"the numbers of packets wrap", true, numbers_wrap}});
        list.insert(list.end(), memory_tests().begin(), memory_tests().end());
        return list;
    }();
    return tests;
}

}  // namespace contraflow::testing
