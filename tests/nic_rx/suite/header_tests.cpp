// SPDX-License-Identifier: Apache-2.0
// Directed tests of what is checked on a packet alone, and of where its bytes go.
#include "nic_rx/suite/subjects.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "nic/packet.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;

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

// Puts of all powers of two words, and of one word less, that are dropped while they come or after their search: a good
// one behind each has its own bytes, and the buffer its room.
directed_result bad_puts_of_all_lengths(cover& cover) {
    auto c = one_buffer();
    for (const bool found_late : {false, true})
        for (unsigned length = 16; length <= 4096; length *= 2)
            for (const unsigned less : {0u, 16u}) {
                if (length == less) continue;
                auto h = good_header(0, static_cast<std::uint16_t>(length - less));
                if (found_late) h.process = 9;
                auto bad = with(h, h.length);
                if (!found_late) bad[bad.size() - word_bytes] ^= 1;
                c.packets.push_back(bad);
                c.packets.push_back(put(4096 + length, 100, true));
            }
    play p(cover, c);
    const auto r = p.end();
    const auto n = p.b.counters();
    for (const auto why : {drop_reason::crc, drop_reason::no_buffer})
        p.equal(n.drops[static_cast<unsigned>(why)], c.packets.size() / 4, "drops for a reason");
    return {p.so_far().wrong, r.cycles, r.packets, r.actions};
}

}  // namespace

const std::vector<directed_test>& header_tests() {
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
        list.insert(list.end(), {{"numbers of words", false, lengths_of_words},
                                 {"bits of headers", false, bits_of_headers},
                                 {"bad puts of all lengths", false, bad_puts_of_all_lengths}});
        return list;
    }();
    return tests;
}

}  // namespace contraflow::testing
