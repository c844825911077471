// SPDX-License-Identifier: Apache-2.0
// Modules of the receive datapath's RTL alone, in small sizes, at random against what they are for.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "Vrx_crc.h"
#include "Vrx_crc_by_tables.h"
#include "Vrx_rings.h"
#include "Vrx_search.h"
#include "Vrx_tags.h"
#include "Vrx_tlb.h"
#include "Vrx_walker.h"
#include "nic/receive/receive_tables.h"
#include "nic/receive/receive_tlb.h"

namespace {

using namespace contraflow::nic;

struct model_context {
    VerilatedContext context;
};

// A module after reset. A cycle: inputs, eval(), outputs, edge().
template <class Rtl> struct clocked : private model_context {
    clocked() : rtl(&context, "module") {
        context.assertOn(true);
        rtl.rst_ni = 1;
        eval();
        rtl.rst_ni = 0;
        edge();
        edge();
        rtl.rst_ni = 1;
        eval();
    }
    ~clocked() { rtl.final(); }
    void eval() {
        rtl.clk_i = 0;
        if constexpr (has_second_clock) rtl.clk_settled_i = 0;
        rtl.eval();
    }
    // The second clock runs only where it is asked for.
    void edge() {
        eval();
        rtl.clk_i = 1;
        if constexpr (has_second_clock) rtl.clk_settled_i = rtl.settles_o;
        rtl.eval();
        context.timeInc(1);
    }
    Rtl rtl;

private:
    static constexpr bool has_second_clock = requires(Rtl & r) { r.clk_settled_i; };
};

class nic_rx_parts : public ::testing::Test {
protected:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    bool once_in(unsigned n) { return below(n) == 0; }

private:
    std::mt19937_64 random_{1};
};

TEST_F(nic_rx_parts, crc_is_that_of_zlib) {
    clocked<Vrx_crc> m;
    for (unsigned i = 0; i < 200; ++i) {
        std::vector<std::uint8_t> bytes((1 + below(20)) * word_bytes);
        for (auto& b : bytes) b = static_cast<std::uint8_t>(below(256));
        if (once_in(4)) std::fill(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(below(2) * 255));
        for (std::size_t at = 0; at < bytes.size();) {
            m.rtl.step_i = !once_in(4);
            m.rtl.first_i = at == 0;
            std::memcpy(&m.rtl.word_i[0], bytes.data() + at, word_bytes);
            if (m.rtl.step_i) at += word_bytes;
            m.edge();
        }
        EXPECT_EQ(~m.rtl.crc_o, checksum(bytes));
    }
}

// Each byte's table, at each place: the step is the sum of those of a word's bytes, in a sum that has no other terms.
TEST_F(nic_rx_parts, crc_by_tables_is_the_proven_one) {
    clocked<Vrx_crc> sums;
    clocked<Vrx_crc_by_tables> tables;
    const auto step = [&](bool first, const std::array<std::uint8_t, word_bytes>& word) {
        sums.rtl.step_i = tables.rtl.step_i = 1;
        sums.rtl.first_i = tables.rtl.first_i = first;
        std::memcpy(&sums.rtl.word_i[0], word.data(), word_bytes);
        std::memcpy(&tables.rtl.word_i[0], word.data(), word_bytes);
        sums.edge();
        tables.edge();
        return sums.rtl.crc_o == tables.rtl.crc_o;
    };
    std::array<std::uint8_t, word_bytes> word{};
    for (const bool first : {true, false})
        for (auto& byte : word)
            for (unsigned value = 0; value < 256; ++value) {
                byte = static_cast<std::uint8_t>(value);
                ASSERT_TRUE(step(first, word)) << &byte - word.data() << ' ' << value;
                if (value == 255) byte = 0;
            }
    for (unsigned i = 0; i < 2000; ++i) {
        for (auto& byte : word) byte = static_cast<std::uint8_t>(below(256));
        ASSERT_TRUE(step(once_in(20), word));
    }
}

// Five entries, so that replacement wraps where no power of two is.
TEST_F(nic_rx_parts, tlb_is_that_of_the_model) {
    clocked<Vrx_tlb> m;
    receive_tlb model(5);
    unsigned hits = 0, removed = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        const std::uint64_t root = 0x1000 * (1 + below(3)), number = 0xf'0000'0000ull + below(4);
        const page_entry page{below(1ull << 40) << 12, 0};  // a host page has no token
        m.rtl.root_i = root;
        m.rtl.number_i = number;
        m.rtl.lookup_i = 0;
        m.rtl.insert_i = 0;
        m.rtl.invalidate_i = once_in(20);
        m.rtl.invalidate_root_i = 0x1000 * (1 + below(3));
        m.eval();
        EXPECT_FALSE(m.rtl.hit_o) << "nothing is looked up";
        m.rtl.lookup_i = 1;
        m.eval();
        const page_entry* found = model.find(root, number);
        ASSERT_EQ(m.rtl.hit_o, found != nullptr) << i;
        std::array<std::uint32_t, 3> bits{};  // page 66:15, token 14:0
        if (found != nullptr) {
            std::memcpy(bits.data(), &m.rtl.page_o[0], sizeof bits);
            EXPECT_EQ(bits[0] & 0x7fff, found->token);
            EXPECT_EQ((bits[0] >> 15 | std::uint64_t{bits[1]} << 17 | std::uint64_t{bits[2]} << 49) << 12, found->page);
            ++hits;
        } else if (!m.rtl.invalidate_i && !once_in(3)) {
            const std::uint64_t frame = page.page >> 12;
            bits = {static_cast<std::uint32_t>(page.token | frame << 15), static_cast<std::uint32_t>(frame >> 17),
                    static_cast<std::uint32_t>(frame >> 49)};
            std::memcpy(&m.rtl.insert_page_i[0], bits.data(), sizeof bits);
            m.rtl.insert_i = 1;
            model.insert(root, number, page);
        }
        if (m.rtl.invalidate_i) {
            model.invalidate(m.rtl.invalidate_root_i);
            ++removed;
        }
        m.edge();
    }
    EXPECT_GT(hits, 500u);
    EXPECT_GT(removed, 100u);
}

TEST_F(nic_rx_parts, tags_are_each_out_once_and_come_home) {
    clocked<Vrx_tags> m;  // five tags, four slots
    std::map<unsigned, std::pair<unsigned, bool>> out;
    std::array<unsigned, 4> open{};
    std::set<unsigned> seen;
    unsigned full = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        m.rtl.take_counts_i = !once_in(4);
        m.rtl.take_slot_i = static_cast<std::uint8_t>(below(4));
        m.rtl.slot_i = static_cast<std::uint8_t>(below(4));
        m.rtl.ack_valid_i = 0;
        m.rtl.take_i = 0;
        const unsigned usual = i / 200 % 3 == 0 ? 5 : 2;
        if (!out.empty() && below(6) >= usual) {
            auto which = out.begin();
            std::advance(which, static_cast<long>(below(out.size())));
            m.rtl.ack_valid_i = 1;
            m.rtl.ack_tag_i = static_cast<std::uint8_t>(which->first);
        }
        m.eval();
        ASSERT_EQ(m.rtl.settled_o, open[m.rtl.slot_i] == 0);
        ASSERT_EQ(m.rtl.home_o, out.empty());
        if (m.rtl.tag_valid_o) { ASSERT_FALSE(out.contains(m.rtl.tag_o)); }
        m.rtl.take_i = m.rtl.tag_valid_o && below(6) < usual;
        if (m.rtl.ack_valid_i) {
            const auto [slot, counts] = out.at(m.rtl.ack_tag_i);
            if (counts) --open[slot];
            out.erase(m.rtl.ack_tag_i);
        }
        if (m.rtl.take_i) {
            out[m.rtl.tag_o] = {m.rtl.take_slot_i, m.rtl.take_counts_i != 0};
            if (m.rtl.take_counts_i) ++open[m.rtl.take_slot_i];
            seen.insert(m.rtl.tag_o);
        }
        full += out.size() == 5 ? 1 : 0;
        m.edge();
    }
    EXPECT_EQ(seen.size(), 5u);
    EXPECT_GT(full, 50u);
}

TEST_F(nic_rx_parts, walker_reads_three_levels) {
    clocked<Vrx_walker> m;
    unsigned found = 0, holes = 0;
    for (unsigned i = 0; i < 300; ++i) {
        const auto space = once_in(2) ? memory_space::host : memory_space::gpu2;
        const std::uint64_t root = below(1ull << 40) << 12, number = below(1ull << (of_gpu(space) ? 32 : 36));
        m.rtl.start_i = 1;
        m.rtl.gpu_i = of_gpu(space);
        m.rtl.root_i = root;
        // The number for the other space counts for nothing.
        constexpr std::uint64_t most = (1ull << 36) - 1;
        m.rtl.host_number_i = of_gpu(space) ? ~number & most : number;
        m.rtl.gpu_number_i = static_cast<std::uint32_t>(of_gpu(space) ? number : ~number);
        m.edge();
        m.rtl.start_i = 0;
        std::uint64_t table = root, entry = 0;
        for (unsigned level = 0; level < table_levels; ++level) {
            m.eval();
            while (!m.rtl.table_valid_o) {
                m.edge();
                m.eval();
            }
            EXPECT_EQ(m.rtl.table_address_o, entry_address(space, table, number, level));
            entry = below(~0ull) & ~1ull;
            if (!once_in(6)) entry |= 1;
            for (std::uint64_t wait = below(3); wait > 0; --wait) m.edge();
            m.rtl.table_ready_i = 1;
            if (!once_in(3)) {  // the entry comes later
                m.edge();
                m.rtl.table_ready_i = 0;
                for (std::uint64_t wait = below(3); wait > 0; --wait) m.edge();
            }
            m.rtl.entry_valid_i = 1;
            m.rtl.entry_i = entry;
            m.edge();
            m.rtl.entry_valid_i = m.rtl.table_ready_i = 0;
            if ((entry & 1) == 0) break;
            table = next_table(entry);
        }
        m.eval();
        ASSERT_TRUE(m.rtl.done_valid_o);
        for (std::uint64_t wait = below(3); wait > 0; --wait) m.edge();
        m.rtl.done_ready_i = 1;
        m.eval();
        EXPECT_EQ(m.rtl.found_o, entry & 1);
        if (m.rtl.found_o) { EXPECT_EQ(m.rtl.entry_o, entry); }
        (m.rtl.found_o ? found : holes)++;
        m.edge();
        m.rtl.done_ready_i = 0;
    }
    EXPECT_GT(found, 50u);
    EXPECT_GT(holes, 50u);
}

// Three rings; the host may say that it has read any number.
TEST_F(nic_rx_parts, rings_have_room_where_the_host_has_read) {
    struct ring {
        std::uint32_t entries = 0, produced = 0, consumed = 0, slot = 0;
        bool room() const { return produced - consumed < entries; }
    };
    clocked<Vrx_rings> m;
    std::array<ring, 3> rings;
    unsigned full = 0, both = 0, both_at_the_end = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        const auto number = static_cast<std::uint8_t>(below(4));  // one that does not exist
        m.rtl.ring_i = number;
        m.rtl.set_i = once_in(50);
        m.rtl.set_ring_i = static_cast<std::uint8_t>(below(4));
        m.rtl.set_base_i = 0x1000 * m.rtl.set_ring_i;
        m.rtl.set_entries_i = static_cast<std::uint32_t>(once_in(10) ? below(~0ull) : below(4));
        m.rtl.consumed_valid_i = !once_in(3);
        m.rtl.consumed_ring_i = once_in(2) ? number : static_cast<std::uint8_t>(below(4));
        m.rtl.consumed_count_i = 0;
        if (m.rtl.consumed_ring_i < 3) {
            const ring& of = rings[m.rtl.consumed_ring_i];
            m.rtl.consumed_count_i = once_in(20) ? static_cast<std::uint32_t>(below(1ull << 32))
                                                 : of.produced - static_cast<std::uint32_t>(below(4));
        }
        m.rtl.written_i = 0;
        m.eval();
        ASSERT_EQ(m.rtl.room_o, number < 3 && rings[number].room()) << i;
        if (number < 3) {
            full += rings[number].room() ? 0 : 1;
            EXPECT_EQ(m.rtl.sequence_o, rings[number].produced + 1);
            if (rings[number].entries != 0) {
                EXPECT_EQ(m.rtl.address_o, 0x1000u * number + 32ull * rings[number].slot) << i;
            }
        }
        m.rtl.written_i = m.rtl.room_o != 0 && !once_in(4);
        if (m.rtl.written_i && m.rtl.consumed_valid_i && m.rtl.consumed_ring_i == number) {
            ++both;
            if (rings[number].produced - m.rtl.consumed_count_i + 1 == rings[number].entries) ++both_at_the_end;
        }
        if (m.rtl.consumed_valid_i && m.rtl.consumed_ring_i < 3)
            rings[m.rtl.consumed_ring_i].consumed = m.rtl.consumed_count_i;
        if (m.rtl.written_i) {
            ring& r = rings[number];
            ++r.produced;
            r.slot = r.slot + 1 == r.entries ? 0 : r.slot + 1;
        }
        if (m.rtl.set_i && m.rtl.set_ring_i < 3) rings[m.rtl.set_ring_i] = {m.rtl.set_entries_i};
        m.edge();
    }
    EXPECT_GT(full, 1000u);
    EXPECT_GT(both, 500u);
    EXPECT_GT(both_at_the_end, 50u);
}

// Eight entries, two compared in a cycle.
TEST_F(nic_rx_parts, search_finds_the_first_entry_that_holds_the_byte) {
    constexpr unsigned buffers = 8, rate = 2;
    clocked<Vrx_search> m;
    std::array<unsigned, 5> results{};
    std::array<buffer_entry, buffers> list;
    for (unsigned number = 0; number < 2000; ++number) {
        buffer_entry& b = list[below(buffers)];
        b.valid = !once_in(4);
        b.process = static_cast<std::uint16_t>(below(2));
        b.base = 1000 + below(30);
        b.length = once_in(10) ? ~0ull : below(40);
        if (once_in(10)) b.base = address_space - 8;
        b.writable = !once_in(4);
        b.space = static_cast<memory_space>(below(5));
        b.root = below(~0ull);
        b.ring = static_cast<std::uint8_t>(below(256));
        const std::uint64_t address = once_in(6) ? address_space - 1 - below(10) : 1000 + below(50);
        const std::uint64_t length = 1 + below(12), process = below(2);
        // Bits of a packet_t, from the lowest: address 48, number 16, process 16, length 13, notify 1, dropped 1, put
        // 1, source 15, tag 12, reason 4.
        const std::uint64_t low = address | std::uint64_t{number} << 48;
        const std::uint64_t high = process | length << 16 | 1ull << 31 | 0x123'8321ull << 32;
        const std::array<std::uint64_t, 2> packet{low, high};
        std::memcpy(&m.rtl.in_packet_i[0], packet.data(), sizeof packet);

        unsigned expected = 1, index = 0;  // as LOOKUP_RESULT has them
        while (index < buffers && !(list[index].valid && list[index].process == process && list[index].holds(address)))
            ++index;
        if (index < buffers) {
            const std::uint64_t last = address + length - 1;
            expected = last >= address_space || !list[index].holds(last) ? 2 : list[index].writable ? 0 : 3;
        }
        const unsigned cycles = std::min(index, buffers - 1) / rate + 2;

        m.rtl.in_valid_i = 1;
        m.rtl.out_ready_i = 0;
        unsigned took = 0;
        for (bool out = false; !out; ++took) {
            m.eval();
            for (unsigned i = 0; i < rate; ++i) {
                const buffer_entry& e = list[m.rtl.group_o * rate + i];
                const std::array<std::uint64_t, 4> words{
                    (e.valid ? 1u : 0u) | (e.writable ? 2u : 0u) | static_cast<std::uint64_t>(e.space) << 2 |
                        std::uint64_t{e.ring} << 8 | std::uint64_t{e.process} << 16 | e.base << 32,
                    e.base >> 32 | e.length << 32, e.length >> 32 | e.root << 32, e.root >> 32};
                std::memcpy(&m.rtl.group_i[8 * i], words.data(), sizeof words);
            }
            m.eval();
            out = m.rtl.out_valid_o;
            if (out) {
                m.rtl.out_ready_i = 1;
                m.eval();
                std::array<std::uint64_t, 2> to{};
                std::memcpy(to.data(), &m.rtl.out_packet_o[0], sizeof to);
                const bool dropped = (to[1] >> 30 & 1) != 0;
                EXPECT_EQ(dropped ? (to[1] >> 59 & 15) - 4 : 0, expected) << number;  // no_buffer is 5
                EXPECT_EQ(to[0], low);
                if (!dropped) {
                    std::array<std::uint32_t, 3> place{};
                    std::memcpy(place.data(), &m.rtl.out_place_o[0], sizeof place);
                    EXPECT_EQ(place[0] & 7, static_cast<std::uint32_t>(list[index].space));
                    EXPECT_EQ(place[0] >> 3 & 0xff, list[index].ring);
                    EXPECT_EQ(place[0] >> 11 | std::uint64_t{place[1]} << 21 | std::uint64_t{place[2]} << 53,
                              list[index].root);
                }
                ++results[expected];
            }
            m.edge();
        }
        EXPECT_EQ(took, cycles);
    }
    for (const unsigned r : {0u, 1u, 2u, 3u}) EXPECT_GT(results[r], 50u) << r;
}

}  // namespace
