// SPDX-License-Identifier: Apache-2.0
// Directed tests of BUF_LIST.
#include "nic_rx/suite/subjects.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/random.h"
#include "nic/packet.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
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
        all.add(one);
    }
    return all;
}

// Each bit of each entry counts: first byte, length, root, ring and space of any bits. A base above the address space
// holds no byte of it, whatever its other bits are.
directed_result any_entries(cover& cover) {
    core::random_source r(core::mix64(79));
    directed_result all;
    for (unsigned turn = 0; turn < 8; ++turn) {
        auto c = one_buffer();
        c.buffers.clear();
        std::map<std::uint64_t, std::uint64_t> tables;
        for (unsigned i = 0; i < built().buffers; ++i) {
            buffer_entry e;
            e.valid = e.writable = true;
            e.process = static_cast<std::uint16_t>(r.below(0x200) * 128 + i);
            e.ring = static_cast<std::uint8_t>(r.below(most_rings()));
            e.space = static_cast<memory_space>(r.below(5));
            e.base = r.next() & (address_space - 1) & ~std::uint64_t{0xffffff};
            e.length = 0x1000 + (r.next() >> 16 >> r.below(32));
            e.root = r.next();
            packet_header h = good_header(0, 16);
            h.process = e.process;
            h.address = e.base + 16 * r.below(64);
            h.notify = true;
            c.packets.push_back(with(h, 16));
            const std::uint64_t number = e.base >> page_bits(e.space);
            const std::uint64_t second = (0x1000 + 2 * std::uint64_t{i}) << 32,
                                third = second + (std::uint64_t{1} << 32);
            tables[entry_address(e.space, e.root, number, 0)] = second | 1;
            tables[entry_address(e.space, second, number, 1)] = third | 1;
            tables[entry_address(e.space, third, number, 2)] = r.next() | 1;
            if (i % 2 == turn % 2) { e.base |= address_space << r.below(16); }
            c.buffers.emplace_back(i, e);
        }
        c.tables.assign(tables.begin(), tables.end());
        behaviour how;
        how.wide_rings = true;
        const auto one = play(cover, c, how).end();
        all.add(one);
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
                p.b.bus(true, p.b.list_word(i, w), written[i][w]);
            }
        cover.hit(group::bus, 1);
        for (unsigned i = 0; i < built().buffers; ++i) {
            auto h = good_header(r.next() & 0xffff'ffff, 16);
            h.process = static_cast<std::uint16_t>(r.next() | 0x1u << turn);  // of no entry
            h.address = r.next() & (address_space - 1);
            p.b.given.packets.push_back(with(h, 16));
            if ((written[i][0] >> 2 & 7) > 4 || (written[i][0] >> 8 & 0xff) >= built().rings) written[i][0] &= ~1u;
            for (unsigned w = 0; w < 8; ++w)
                p.equal(p.read(p.b.list_word(i, w)), written[i][w], "an entry of the list");
        }
        p.expect(p.b.run(), "the packets do not end");
    }
    p.b.bus(true, p.b.list_word(built().buffers), 0);
    p.expect(p.b.bus_error, "the bus takes an entry behind the list");
    return p.end();
}

// An entry for a space that does not exist is not valid, whoever writes it.
directed_result spaces_that_do_not_exist(cover& cover) {
    directed_result all;
    for (const unsigned space : {0u, 5u, 6u, 7u}) {
        auto c = one_buffer();
        auto words = encode(c.buffers[0].second);
        c.buffers.clear();
        play p(cover, c);
        words[0] |= space << 2;
        p.b.write_entry(0, words);
        p.equal(p.read(p.b.list_word(0)) & 1, space == 0 ? 1u : 0u, "the valid bit");
        p.b.given.packets = {put(64, 40)};
        p.expect(p.b.run(), "the packet does not end");
        p.equal(p.b.counters().accepted, space == 0 ? 1u : 0u, fmt::format("packets for space {}", space));
        const auto r = p.so_far(1);
        all.add({r.wrong, r.cycles, 1, 1});
    }
    return all;
}

// A setting of what does not exist is refused, and changes nothing: the first and other indices behind the last one,
// all spaces behind the last GPU's, rings behind the last.
directed_result settings_that_do_not_exist(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(64, 40, true)};
    play p(cover, c);
    const auto words = encode(c.buffers[0].second);
    const auto refused = [&](std::uint8_t opcode, unsigned index, const std::array<std::uint32_t, 8>& data) {
        p.equal(p.b.command(opcode, static_cast<std::uint16_t>(index), data), ~0u,
                fmt::format("the answer to command {}, index {}, word 0 {:#x}", opcode, index, data[0]));
    };
    std::vector<unsigned> beyond{0, 1, 7};
    for (unsigned bit = 8; bit < 16; ++bit) beyond.push_back(1u << bit);
    for (const unsigned b : beyond) {
        auto none = words;
        none[0] &= ~1u;
        refused(regs::command_opcode_set_buffer, built().buffers + b, none);
        refused(regs::command_opcode_set_ring, built().rings + b, {0x4000, 0, 1});
    }
    for (unsigned space = 5; space < 8; ++space) {
        auto of_space = words;
        of_space[0] = (of_space[0] & ~(7u << 2)) | space << 2;
        refused(regs::command_opcode_set_buffer, 0, of_space);
    }
    for (unsigned ring = built().rings; ring < 256; ++ring) {
        auto of_ring = words;
        of_ring[0] = (of_ring[0] & ~(0xffu << 8)) | ring << 8;
        refused(regs::command_opcode_set_buffer, 0, of_ring);
    }
    return p.end();
}

// Entries that hold the same addresses, for a process each, some of them valid: written by commands or word by word,
// each is found if it is valid, and it alone.
directed_result some_entries_are_valid(cover& cover) {
    auto c = one_buffer();
    const auto entry = c.buffers[0].second;
    c.buffers.clear();
    play p(cover, c);
    core::random_source r(core::mix64(41));
    std::uint64_t accepted = 0;
    for (unsigned turn = 0; turn < 6; ++turn) {
        std::vector<bool> valid(built().buffers);
        for (unsigned i = 0; i < built().buffers; ++i) {
            auto e = entry;
            e.process = static_cast<std::uint16_t>(100 + i);
            e.valid = valid[i] = turn == 0 || r.below(2) == 0;
            if (turn % 2 == 0)
                p.b.write_entry(i, encode(e));
            else
                p.b.set_buffer(i, e);
        }
        for (unsigned i = 0; i < built().buffers; ++i) {
            auto h = good_header(16 * i, 16);
            h.process = static_cast<std::uint16_t>(100 + i);
            p.b.given.packets.push_back(with(h, 16));
            p.expect(p.b.run(), "a packet does not end");
            accepted += valid[i] ? 1 : 0;
            p.equal(p.b.counters().accepted, accepted, fmt::format("packets that found a buffer, up to entry {}", i));
        }
    }
    return p.so_far(p.b.log.size());
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
        p.b.bus(true, p.b.list_word(0, i), words[i]);
    }
    p.expect(p.b.run(), "the packets do not end");
    p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], 60u, "packets without a buffer");
    p.b.given.packets = {put(0x8000, 16)};
    p.b.next = 0;
    p.expect(p.b.run(), "the packet does not end");
    p.equal(p.b.counters().accepted, 1u, "packets that find the new entry");
    return p.so_far(61);
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
            p.equal(p.read(p.b.list_word(index, w)), words[w], "a word of a buffer that was set in traffic");
    }
    return p.end();
}

}  // namespace

const std::vector<directed_test>& list_tests() {
    static const std::vector<directed_test> tests{
        {"BUF_LIST empty", false, empty_list},
        {"BUF_LIST full", false, full_list},
        {"ends of buffers", false, ends_of_buffers},
        {"BUF_LIST with any bits", false, any_bits_in_the_list},
        {"spaces that do not exist", false, spaces_that_do_not_exist},
        {"some entries are valid", false, some_entries_are_valid},
        {"settings that do not exist", false, settings_that_do_not_exist},
        {"any entries of BUF_LIST", false, any_entries},
        {"entries written word by word", false, half_written_entries},
        {"buffers set in traffic", false, buffers_set_in_traffic},
    };
    return tests;
}

}  // namespace contraflow::testing
