// SPDX-License-Identifier: Apache-2.0
// Directed tests of page tables, TLBs and windows, and of the removal of translations.
#include "nic_rx/suite/subjects.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
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

// The TLB is full of another table's pages. A page is walked, and its table's translations are removed in each cycle of
// the walk: the others stay as they are, and the next packet, at once or after one to each of them, reads its tables
// again.
directed_result invalidations_in_a_full_tlb(cover& cover) {
    directed_result all;
    const unsigned pages = std::min(built().host_tlb, 15u);
    for (unsigned turn = 0; turn < 100; ++turn) {
        const unsigned at = turn / 2, before = built().host_tlb + 1 + turn % 2;  // packets before those of all pages
        auto c = one_buffer();
        auto other = c.buffers[0].second;
        other.process = 6;
        other.root = 0x18000;
        c.buffers.emplace_back(1, other);
        const auto entry = [](unsigned level, std::uint64_t table) {
            return entry_address(memory_space::host, table, 0x10, level);
        };
        c.tables.emplace_back(entry(0, 0x18000), 0x50001);
        c.tables.emplace_back(entry(1, 0x50000), 0x60001);
        c.tables.emplace_back(entry(2, 0x60000), 0x1111'1001);
        play p(cover, c, {.table_latency = 5});
        const auto send = [&](std::uint64_t offset, std::uint16_t process) {
            auto h = good_header(offset, 16);
            h.process = process;
            p.b.given.packets.push_back(with(h, 16));
        };
        for (unsigned i = 0; i < built().host_tlb; ++i) send(4096 * (i % pages), 5);
        p.expect(p.b.run(), "the packets of the first table do not end");
        send(0, 6);
        p.b.feeding = true;
        p.b.steps(at);
        p.b.tables[entry(2, 0x60000)] = 0x2222'2001;
        p.equal(p.b.command(regs::command_opcode_invalidate, 0, {0x18000}), 0u, "the answer");
        p.expect(p.b.run(), "the packet of the second table does not end");
        if (turn % 2 == 1) {
            send(96, 6);
            p.expect(p.b.run(), "the next packet of the second table does not end");
            const auto next = p.b.action(p.b.log.size() - 1).what;
            const auto* const w = std::get_if<data_write>(&next);
            p.expect(w != nullptr && w->address == 0x2222'2060, "the next packet gets a page that was removed");
        }
        for (unsigned i = 0; i < pages; ++i) send(4096 * i + 32, 5);
        p.expect(p.b.run(), "the packets of the first table do not end");
        send(64, 6);
        p.expect(p.b.run(), "the last packet does not end");
        const auto last = p.b.action(p.b.log.size() - 1).what;
        const auto* const w = std::get_if<data_write>(&last);
        p.expect(w != nullptr && w->address == 0x2222'2040, "a packet gets a page that was removed");
        for (const auto& n : p.b.log)
            if (const auto* o = std::get_if<data_write>(&n.what);
                o != nullptr && n.packet >= before && n.packet + 1 < p.b.given.packets.size()) {
                const auto offset = 4096 * (n.packet - before) + 32;
                p.expect(o->address == (any_page(0x10 + offset / 4096) & ~std::uint64_t{4095}) + 32,
                         "a packet of the first table gets another page");
            }
        const auto r = p.so_far(p.b.log.size());
        all.add({r.wrong, r.cycles, p.b.given.packets.size(), r.actions});
    }
    return all;
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
        all.add(r);
    }
    return all;
}

// The removal of all translations, of both spaces and of any root: the next packet reads the tables, and moves the
// window of its GPU.
directed_result removal_of_all(cover& cover) {
    directed_result all;
    for (const auto space :
         {memory_space::host, memory_space::gpu0, memory_space::gpu1, memory_space::gpu2, memory_space::gpu3}) {
        auto c = one_buffer(space);
        for (auto& [at, entry] : c.tables)  // the page, and token, that a window has in a register after a reset
            if (at == entry_address(space, 0x40000, 0x10000 >> page_bits(space), 2)) entry = 1;
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
        all.add({r.wrong, r.cycles, packets.size(), r.actions});
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
        all.add({r.wrong, r.cycles, c.packets.size(), r.actions});
    }
    return all;
}

// The same while a write to a GPU is offered: it stays, and the window moves before the next one, to the same page.
directed_result removal_while_a_write_waits(cover& cover) {
    directed_result all;
    for (const auto space : {memory_space::gpu0, memory_space::gpu1, memory_space::gpu2, memory_space::gpu3}) {
        auto c = one_buffer(space);
        c.packets = {put(0, 16), put(32, 16), put(64, 16)};
        play p(cover, c);
        p.b.packets_to_come = 1;
        p.expect(p.b.run(), "the first packet does not end");
        p.b.hold_dma = true;
        p.b.packets_to_come = 2;
        p.b.feeding = true;
        p.b.steps(60);
        p.expect(p.b.out().dma_valid, "no write is offered");
        p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
        p.b.hold_dma = false;
        p.expect(p.b.run(), "the packet that waits does not end");
        const std::size_t before = p.b.log.size();
        p.b.packets_to_come = 3;
        p.expect(p.b.run(), "the last packet does not end");
        p.expect(std::holds_alternative<window_move>(p.b.action(before).what), "a window stays open");
        const auto r = p.so_far(p.b.log.size());
        all.add({r.wrong, r.cycles, 3, r.actions});
    }
    return all;
}

// The same while a write to a GPU waits for a tag, or behind a completion: it is not offered yet, so the window moves
// before it.
directed_result removal_before_a_write_is_offered(cover& cover, bool behind_a_completion) {
    auto c = one_buffer(memory_space::gpu1);
    c.packets = {put(0, 16, behind_a_completion)};
    for (unsigned i = 1; i < 40; ++i)
        c.packets.push_back(put(behind_a_completion ? 32 * i : 4096 * (i % 15), behind_a_completion ? 16 : 4096));
    play p(cover, c);
    p.b.packets_to_come = 1;
    if (behind_a_completion) {
        p.b.hold_acknowledgements = p.b.feeding = true;
        p.b.steps(100);
        p.b.hold_dma = true;
        p.b.hold_acknowledgements = false;
        for (unsigned i = 0; i < 100 && !p.b.out().dma_valid; ++i) p.b.step();
        p.expect(p.b.out().dma_valid, "no completion is offered");
    } else {
        p.expect(p.b.run(), "the first packet does not end");
        p.b.hold_acknowledgements = true;
    }
    p.b.packets_to_come = static_cast<unsigned>(c.packets.size());
    p.b.feeding = true;
    p.b.steps(behind_a_completion ? 100 : 6000);
    p.expect(p.b.out().dma_valid == behind_a_completion, "a write has a tag");
    const std::size_t before = p.b.log.size();
    p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
    p.b.hold_dma = p.b.hold_acknowledgements = false;
    for (unsigned i = 0; i < 200 && p.b.log.size() < before + 2; ++i) p.b.step();
    const std::size_t next = before + (behind_a_completion ? 1 : 0);
    p.expect(p.b.log.size() > next && std::holds_alternative<window_move>(p.b.action(next).what),
             "a closed window is written through");
    p.expect(p.b.run(), "the packets do not end");
    return p.so_far(p.b.log.size());
}

// The same while writes to a GPU follow each other without a cycle between them: the window moves before the next one.
directed_result removal_in_a_stream(cover& cover) {
    auto c = one_buffer(memory_space::gpu1);
    for (unsigned i = 0; i < 8; ++i) c.packets.push_back(put(4096 * i, 4096));
    play p(cover, c);
    p.b.packets_to_come = 1;
    p.expect(p.b.run(), "the first packet does not end");
    p.b.packets_to_come = static_cast<unsigned>(c.packets.size());
    p.b.hold_dma = p.b.feeding = true;
    p.b.steps(1500);  // the packet buffer is full
    p.b.hold_dma = false;
    p.b.steps(10);
    const std::size_t before = p.b.log.size();
    p.equal(p.b.command(regs::command_opcode_invalidate_all, 0, {}), 0u, "the answer");
    p.expect(p.b.log.size() == before, "no write is under way");
    for (unsigned i = 0; i < 1000 && p.b.log.size() < before + 2; ++i) p.b.step();
    p.expect(p.b.log.size() == before + 2 && std::holds_alternative<window_move>(p.b.action(before + 1).what),
             "a stream of writes goes through a closed window");
    p.expect(p.b.run(), "the packets do not end");
    return p.so_far(p.b.log.size());
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

std::ptrdiff_t moves_of_windows(const rx_bench& b) {
    return std::count_if(b.log.begin(), b.log.end(),
                         [](const auto& n) { return std::holds_alternative<window_move>(n.what); });
}

directed_result window_tokens(cover& cover) {
    const auto c = two_tokens_of_a_page();
    play p(cover, c);
    const auto r = p.end();
    const auto moves = moves_of_windows(p.b);
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
        c.tables.emplace_back(entry_address(space, 0x40000, first + i, 2), any_page(i));
    c.tables.emplace_back(entry_address(space, 0x10000, first, 0), 0x20001);
    c.tables.emplace_back(entry_address(space, 0x20000, first, 1), 0x40001);
    return c;
}

// Pages of a GPU, each pair of which differs in one bit of its address or of its token: the window moves from one to
// the other, between packets and within one.
directed_result pages_that_differ_in_a_bit(cover& cover) {
    directed_result all;
    constexpr unsigned pairs = most_pages / 2, bits = 63;  // bit 0 makes an entry valid
    for (const unsigned first_bit : {1u, bits + 1 - pairs}) {
        auto c = many_pages_of(memory_space::gpu1);
        const std::uint64_t page = 1ull << page_bits(memory_space::gpu1);
        const std::uint64_t entry = any_page(first_bit);
        for (unsigned i = 0; i < pairs; ++i) {
            c.tables[2 * i].second = entry;
            c.tables[2 * i + 1].second = entry ^ std::uint64_t{1} << (first_bit + i);
            c.packets.push_back(put(2 * i * page, 16));
            c.packets.push_back(put((2 * i + 1) * page, 16));
            c.packets.push_back(put((2 * i + 1) * page - 16, 32));
        }
        play p(cover, c);
        const auto r = p.end();
        p.expect(moves_of_windows(p.b) >= 3 * pairs, "the window stays although the page is another");
        all.add({p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
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

// A TLB against a list of its entries: pages in any order, and removals of all translations or of one root's, before
// which the tables of what is removed change. Each packet reads the tables if its page is not there, and is written to
// its page.
directed_result any_use_of_a_tlb(cover& cover, memory_space space) {
    const unsigned entries = space == memory_space::host ? built().host_tlb : built().gpu_tlb;
    constexpr std::array<std::uint64_t, 2> roots{0x10000, 0x18000}, leaves{0x40000, 0x80000};
    auto c = many_pages_of(space);
    auto other = c.buffers[0].second;
    other.process = 6;
    other.root = roots[1];
    c.buffers.emplace_back(1, other);
    const std::uint64_t first = other.base >> page_bits(space), page = 1ull << page_bits(space);
    c.tables.emplace_back(entry_address(space, roots[1], first, 0), 0x30001);
    c.tables.emplace_back(entry_address(space, 0x30000, first, 1), leaves[1] | table_valid);
    play p(cover, c);
    const auto leaf = [&](unsigned root, unsigned i) { return entry_address(space, leaves[root], first + i, 2); };
    const unsigned pages = std::min(entries + 2, most_pages);
    core::random_source r(core::mix64(101 + entries));
    const auto change = [&](unsigned root) {
        for (unsigned i = 0; i < pages; ++i) p.b.tables[leaf(root, i)] = any_page(r.next());
    };
    change(0);
    change(1);
    struct kept {
        bool valid = false;
        unsigned root = 0, page = 0;
    };
    std::vector<kept> list(entries);
    unsigned oldest = 0;
    const auto missed = [&](unsigned root, unsigned i) {
        const bool hit = std::any_of(list.begin(), list.end(),
                                     [&](const kept& k) { return k.valid && k.root == root && k.page == i; });
        if (!hit) list[std::exchange(oldest, (oldest + 1) % entries)] = {true, root, i};
        return hit ? 0 : 1;
    };
    // To one page, or to its end and the beginning of the next one.
    const auto send = [&](unsigned root, unsigned i) {
        const bool two = i + 1 < pages && r.below(3) == 0;
        auto h = good_header(i * page + (two ? page - 16 : 16 * r.below(64)), two ? 32 : 16);
        h.process = root == 0 ? 5 : 6;
        unsigned walks = missed(root, i);
        if (two) walks += missed(root, i + 1);
        const std::uint64_t before = p.b.table_reads;
        p.b.given.packets.push_back(with(h, h.length));
        p.expect(p.b.run(), "a packet does not end");
        p.equal(p.b.table_reads - before, walks * table_levels, "reads of tables");
        const auto place = [&](unsigned which) { return p.b.tables[leaf(root, which)] & ~(page - 1); };
        const unsigned last = two ? i + 1 : i;
        const std::uint64_t entry = p.b.tables[leaf(root, last)];
        std::vector<std::uint64_t> written;
        for (auto n = p.b.log.rbegin(); n != p.b.log.rend() && written.size() < (two ? 2 : 1); ++n)
            if (const auto* const w = std::get_if<data_write>(&n->what)) written.push_back(w->address);
        const std::uint64_t begin = place(i) + h.address % page;
        p.expect(written == (two ? std::vector{place(last), begin} : std::vector{begin}),
                 "a packet is not written to its pages");
        const auto moved = std::find_if(p.b.log.rbegin(), p.b.log.rend(),
                                        [](const auto& n) { return std::holds_alternative<window_move>(n.what); });
        if (space == memory_space::host) return;
        const auto* const shown = moved == p.b.log.rend() ? nullptr : std::get_if<window_move>(&moved->what);
        p.expect(shown != nullptr &&
                     shown->page == page_entry{place(last), static_cast<std::uint16_t>(entry >> 1 & 0x7fff)},
                 "the window shows another page");
    };
    for (unsigned turn = 0; turn < 30; ++turn) {
        // Most of the time fewer pages than fit: what is removed leaves places that are not the oldest.
        const unsigned some = turn % 3 == 0 ? pages : 1 + static_cast<unsigned>(r.below(entries));
        for (unsigned i = 0; i < 2 * entries; ++i)
            send(static_cast<unsigned>(r.below(2)), static_cast<unsigned>(r.below(some)));
        const bool all = r.below(2) == 0;
        const auto removed = static_cast<unsigned>(r.below(2));
        for (unsigned root = 0; root < roots.size(); ++root)
            if (all || root == removed) change(root);
        const std::uint32_t answer =
            all ? p.b.command(regs::command_opcode_invalidate_all, 0, {})
                : p.b.command(regs::command_opcode_invalidate, 0, {static_cast<std::uint32_t>(roots[removed])});
        p.equal(answer, 0u, "the answer");
        for (kept& k : list) k.valid = k.valid && !all && k.root != removed;
    }
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

// An invalidation waits for the last packet that was searched before it, whatever its number.
directed_result removal_waits_for_the_last(cover& cover) {
    directed_result all;
    for (unsigned before = 0; before < 20; ++before) {
        auto c = one_buffer();
        for (unsigned i = 0; i <= before; ++i) c.packets.push_back(put(32 * i, 16));
        play p(cover, c);
        p.b.packets_to_come = before;
        p.expect(p.b.run(), "the packets before it do not end");
        p.b.hold_acknowledgements = true;
        p.b.packets_to_come = before + 1;
        p.b.feeding = true;
        p.b.steps(100);
        p.b.begin_command(regs::command_opcode_invalidate, 0, {0x10000});
        p.b.steps(100);
        p.expect(!p.b.command_ended(), fmt::format("the removal does not wait for packet {}", before));
        p.b.hold_acknowledgements = false;
        p.b.steps(100);
        p.expect(p.b.command_ended() && p.b.answer == 0, "a removal is not answered");
        const auto r = p.end();
        all.add(r);
    }
    return all;
}

// A page, or a root, that differs in one bit from that of an entry is not found: no table has it, so the packet is
// dropped. Inverted, each bit that an entry keeps of a page's number and of a table's address has the other value.
directed_result bits_of_a_tlb(cover& cover, memory_space space, bool inverted) {
    const std::uint64_t root = 0x5a3c'96e1'0f0f'1000 ^ (inverted ? ~std::uint64_t{7} : 0);  // entries have 8 bytes
    const unsigned bits = page_bits(space), number_bits = 48 - bits;
    const unsigned entries = space == memory_space::host ? built().host_tlb : built().gpu_tlb;
    auto c = one_buffer(space);
    auto entry = c.buffers[0].second;
    entry.base = 0;
    entry.length = address_space;
    entry.root = root;
    auto other = entry;
    other.process = 6;
    c.buffers = {{0, entry}, {1, other}};
    c.tables.clear();
    core::random_source r(core::mix64(83));
    std::vector<std::uint64_t> numbers;
    for (unsigned i = 0; i < entries; ++i) {
        // Two differ in two bits at least, and have no table in common but the root.
        const std::uint64_t code = i << 1 | (std::popcount(i) & 1u), tables = 0x1000'0000 + 0x40000 * i;
        numbers.push_back(code << (number_bits - 8) | (r.next() & ((std::uint64_t{1} << (number_bits - 8)) - 1)));
        if (inverted) numbers.back() ^= (std::uint64_t{1} << number_bits) - 1;
        c.tables.emplace_back(entry_address(space, root, numbers[i], 0), tables | 1);
        c.tables.emplace_back(entry_address(space, tables, numbers[i], 1), (tables + 0x20000) | 1);
        c.tables.emplace_back(entry_address(space, tables + 0x20000, numbers[i], 2), any_page(i));
    }
    play p(cover, c);
    std::uint64_t found = 0, missed = 0;
    const auto send = [&](std::uint64_t number, std::uint16_t process, bool exists) {
        auto h = good_header(0, 16);
        h.process = process;
        h.address = (number << bits) + 16;
        p.b.given.packets.push_back(with(h, 16));
        ++(exists ? found : missed);
    };
    for (const auto n : numbers) send(n, 5, true);
    // Only some entries of a large TLB are tried: each takes a hundred packets.
    const unsigned step = (entries + 15) / 16;
    for (unsigned i = 0; i < entries; i += step)
        for (unsigned bit = 0; bit < number_bits; ++bit) send(numbers[i] ^ std::uint64_t{1} << bit, 5, false);
    p.expect(p.b.run(), "the packets do not end");
    for (unsigned bit = 0; bit < 64; ++bit) {
        other.root = root ^ std::uint64_t{1} << bit;
        p.b.set_buffer(1, other);
        for (unsigned i = 0; i < entries; i += step) send(numbers[i], 6, false);
        p.expect(p.b.run(), "the packets do not end");
    }
    const std::uint64_t reads = p.b.table_reads;
    for (const auto n : numbers) send(n, 5, true);
    p.expect(p.b.run(), "the packets do not end");
    p.equal(p.b.table_reads, reads, "reads of tables for pages that are there");
    const auto n = p.b.counters();
    p.equal(n.accepted, found, "packets to pages that are there");
    p.equal(n.drops[static_cast<unsigned>(drop_reason::translation)], missed, "packets to pages that are not");
    return p.so_far(p.b.log.size());
}

}  // namespace

const std::vector<directed_test>& translation_tests() {
    static const std::vector<directed_test> tests{
        {"pages that miss", false, misses},
        {"a miss stalls its packet alone", false, miss_stalls_its_packet},
        {"invalidation in each cycle of a walk", false, invalidations},
        {"invalidation in each cycle of a walk, in a full TLB", false, invalidations_in_a_full_tlb},
        {"removal of all translations", false, removal_of_all},
        {"removal of all translations in each cycle of a walk", false, removals_of_all},
        {"removal of all translations while a write waits", false, removal_while_a_write_waits},
        {"removal of all translations while a write waits for a tag", false,
         [](cover& c) { return removal_before_a_write_is_offered(c, false); }},
        {"removal of all translations while a write waits behind a completion", false,
         [](cover& c) { return removal_before_a_write_is_offered(c, true); }},
        {"removal of all translations in a stream of writes", false, removal_in_a_stream},
        {"removal of one root's translations, host", false,
         [](cover& c) { return removal_of_a_root(c, memory_space::host); }},
        {"removal of one root's translations, GPU", false,
         [](cover& c) { return removal_of_a_root(c, memory_space::gpu1); }},
        {"tokens of a window", false, window_tokens},
        {"pages of a GPU that differ in one bit", false, pages_that_differ_in_a_bit},
        {"each entry of the host TLB", false, [](cover& c) { return entries_of_a_tlb(c, memory_space::host); }},
        {"each entry of the GPU TLB", false, [](cover& c) { return entries_of_a_tlb(c, memory_space::gpu1); }},
        {"any use of the host TLB", false, [](cover& c) { return any_use_of_a_tlb(c, memory_space::host); }},
        {"any use of the GPU TLB", false, [](cover& c) { return any_use_of_a_tlb(c, memory_space::gpu3); }},
        {"each bit of the host TLB", false, [](cover& c) { return bits_of_a_tlb(c, memory_space::host, false); }},
        {"each bit of the host TLB, inverted", false,
         [](cover& c) { return bits_of_a_tlb(c, memory_space::host, true); }},
        {"each bit of the GPU TLB", false, [](cover& c) { return bits_of_a_tlb(c, memory_space::gpu2, false); }},
        {"each bit of the GPU TLB, inverted", false,
         [](cover& c) { return bits_of_a_tlb(c, memory_space::gpu2, true); }},
        {"removal waits for the last packet", false, removal_waits_for_the_last},
        {"more pages than the host TLB has entries", false, [](cover& c) { return many_pages(c, memory_space::host); }},
        {"more pages than the GPU TLB has entries", false, [](cover& c) { return many_pages(c, memory_space::gpu3); }},
    };
    return tests;
}

}  // namespace contraflow::testing
