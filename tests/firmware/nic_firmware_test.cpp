// SPDX-License-Identifier: Apache-2.0
// The NIC's firmware as a native program: its bus is registers, a BUF_LIST and page tables of this test.
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/little_endian.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic/transmit/nic_tx_registers.h"

extern "C" {
#include "nic.h"
#include "port.h"
}

namespace {

using namespace contraflow::nic;
namespace regs = contraflow::nic::nic_rx_registers;
namespace tx = contraflow::nic::nic_tx_registers;
using ::testing::ElementsAre;

constexpr std::uint32_t list_base = 0x5000'0000;
constexpr unsigned list_size = 64, ring_count = 16;

struct command {
    std::uint32_t opcode, index;
    std::array<std::uint32_t, 8> data{};
};

// The request of the transmit side: an extent, some reads, or a window.
struct wanted {
    std::uint32_t status = 0;
    std::uint32_t process = 0, length = 0;
    std::uint64_t address = 0;
    std::uint32_t place = 0, count = 0;
};

// The core's bus. A load or a store at an unused address fails the test.
struct machine {
    std::array<std::uint32_t, 64> held{};  // registers that keep written values
    table_memory tables{list_size};
    std::deque<std::array<std::uint32_t, 4>> lookups;
    std::deque<std::array<std::uint32_t, 8>> messages;
    std::deque<command> commands;
    std::vector<std::uint32_t> results, answers, rings;
    std::vector<std::array<std::uint32_t, 8>> tasks;
    unsigned list_loads = 0, table_loads = 0, segments = 0;
    std::deque<wanted> transmit;
    std::uint64_t source_tables = 0;
    std::array<std::uint32_t, 3> extent{};
    std::vector<std::uint32_t> extents;   // results of extents
    std::vector<std::uint64_t> requests;  // read requests to GPUs
    unsigned windows = 0;
    std::uint32_t request_low = 0;
    std::vector<char> order;  // kinds of answers in order: l, m, t

    std::uint32_t load_transmit(std::uint32_t offset) const {
        const wanted none;
        const wanted& w = transmit.empty() ? none : transmit.front();
        const bool high = offset % 8 == 4;
        switch (offset) {
        case tx::status.offset: return w.status;
        case tx::source_tables.offset: return static_cast<std::uint32_t>(source_tables);
        case tx::source_tables.offset + 4: return static_cast<std::uint32_t>(source_tables >> 32);
        case tx::job.offset: return tx::job_process.in_place(w.process) | tx::job_space.mask();
        case tx::job_address.offset:
        case tx::job_address.offset + 4: return static_cast<std::uint32_t>(w.address >> (high ? 0 : 32));
        case tx::job_length.offset: return w.length;
        case tx::read_address.offset:
        case tx::read_address.offset + 4: return static_cast<std::uint32_t>(w.address >> (high ? 32 : 0));
        case tx::read_place.offset: return w.place;
        case tx::read_count.offset: return w.count;
        default: ADD_FAILURE() << "a load of register " << offset << " of the transmit side"; return 0;
        }
    }
    void store_transmit(std::uint32_t offset, std::uint32_t value) {
        if (offset == tx::extent_result.offset) {
            extents.push_back(value);
            transmit.pop_front();
            order.push_back('t');
        } else if (offset == tx::window_start.offset) {
            ++windows;
            transmit.pop_front();
        } else if (offset == tx::read_request.offset) {
            request_low = value;
        } else if (offset == tx::read_request.offset + 4) {
            requests.push_back(join(request_low, value));
            if (--transmit.front().count == 0) transmit.pop_front();
        } else if (offset >= tx::extent_address.offset && offset <= tx::extent_length.offset) {
            extent[(offset - tx::extent_address.offset) / 4] = value;
        } else {
            ADD_FAILURE() << "a store to register " << offset << " of the transmit side";
        }
    }

    std::uint32_t row(const regs::reg& first, std::uint32_t offset) const { return (offset - first.offset) / 4; }
    static bool in(const regs::reg& first, unsigned count, std::uint32_t offset) {
        return offset >= first.offset && offset < first.offset + 4 * count;
    }

    std::uint32_t load(std::uint32_t address) {
        EXPECT_EQ(address % 4, 0u);
        if (address >= regs::tables_base) {
            ++table_loads;
            const auto segment = join(held[regs::table_segment.offset / 4], held[regs::table_segment.offset / 4 + 1]);
            const std::uint64_t at = (segment << 31) + (address - regs::tables_base);
            return static_cast<std::uint32_t>(tables.entry(at & ~7ull) >> (at % 8 * 8));
        }
        if (address >= list_base) {
            ++list_loads;
            return tables.list().at((address - list_base) / 4);
        }
        if (address >= tx::registers_base) return load_transmit(address - tx::registers_base);
        const std::uint32_t offset = address - regs::registers_base;
        if (offset == regs::irq_status.offset)
            return (lookups.empty() ? 0 : regs::irq_status_lookup.mask()) |
                   (messages.empty() ? 0 : regs::irq_status_message.mask()) |
                   (commands.empty() ? 0 : regs::irq_status_command.mask()) |
                   (transmit.empty() ? 0 : regs::irq_status_transmit.mask());
        if (offset == regs::buf_list.offset) return list_base;
        if (offset == regs::buf_list_entries.offset) return list_size;
        if (offset == regs::rings.offset) return ring_count;
        if (in(regs::lookup_header, 4, offset)) return lookups.front()[row(regs::lookup_header, offset)];
        if (in(regs::message, 8, offset)) return messages.front()[row(regs::message, offset)];
        if (offset == regs::command.offset) return commands.front().opcode | commands.front().index << 16;
        if (in(regs::command_data, 8, offset)) return commands.front().data[row(regs::command_data, offset)];
        if (in(regs::counter, regs::counter_registers, offset)) return 1000 + row(regs::counter, offset);
        ADD_FAILURE() << "a load of register " << offset;
        return 0;
    }
    void store(std::uint32_t address, std::uint32_t value) {
        EXPECT_EQ(address % 4, 0u);
        if (address >= list_base && address < regs::tables_base) {
            tables.list().at((address - list_base) / 4) = value;
            return;
        }
        if (address >= tx::registers_base && address < list_base)
            return store_transmit(address - tx::registers_base, value);
        const std::uint32_t offset = address - regs::registers_base;
        if (offset >= 4 * held.size()) {
            ADD_FAILURE() << "a store to " << address;
            return;
        }
        held[offset / 4] = value;
        if (offset == regs::table_segment.offset) ++segments;
        if (offset == regs::lookup_result.offset) {
            results.push_back(value);
            lookups.pop_front();
            order.push_back('l');
        } else if (offset == regs::message_take.offset) {
            messages.pop_front();
            order.push_back('m');
        } else if (offset == regs::task_send.offset) {
            std::array<std::uint32_t, 8> task{};
            std::copy_n(held.begin() + regs::task.offset / 4, 8, task.begin());
            tasks.push_back(task);
        } else if (offset == regs::command_done.offset) {
            answers.push_back(value);
            commands.pop_front();
        } else if (offset == regs::ring_set.offset) {
            rings.push_back(value);
        }
    }
};
machine* bus = nullptr;

class nic_firmware : public ::testing::Test {
protected:
    nic_firmware() {
        bus = &m_;
        nic_init(&nic_);
    }
    ~nic_firmware() override { bus = nullptr; }

    void serve_all() {
        while (nic_serve(&nic_)) {}
    }
    void set(unsigned index, const buffer_entry& b) {
        m_.commands.push_back({regs::command_opcode_set_buffer, index, encode(b)});
        serve_all();
    }
    std::uint32_t ask(const command& c) {
        m_.commands.push_back(c);
        serve_all();
        return m_.answers.back();
    }
    void map(memory_space space, std::uint64_t root, std::uint64_t address, std::uint64_t physical) {
        const std::uint64_t number = address >> page_bits(space);
        std::uint64_t table = root;
        for (unsigned level = 0; level < 2; ++level) {
            const std::uint64_t at = entry_address(space, table, number, level);
            if (m_.tables.entry(at) == 0) m_.tables.set_entry(at, (next_table_ += 0x8000) | 1);
            table = next_table(m_.tables.entry(at));
        }
        m_.tables.set_entry(entry_address(space, table, number, 2), physical);
    }
    // The status of a put, and the entries of its pages.
    std::uint32_t put(std::uint16_t process, std::uint64_t address, std::uint16_t length) {
        packet_header h;
        h.process = process;
        h.address = address;
        h.length = length;
        std::array<std::uint8_t, word_bytes> bytes{};
        h.encode(bytes);
        std::array<std::uint32_t, 4> words{};
        for (unsigned i = 0; i < words.size(); ++i) words[i] = contraflow::core::load_le<std::uint32_t>(&bytes[4 * i]);
        m_.lookups.push_back(words);
        serve_all();
        return regs::lookup_result_status.of(m_.results.back());
    }
    std::uint64_t page(unsigned i) const {
        return join(m_.held[regs::lookup_entry.offset / 4 + 2 * i], m_.held[regs::lookup_entry.offset / 4 + 2 * i + 1]);
    }

    machine m_;
    struct ::nic nic_ {};
    std::uint64_t next_table_ = 0x10'0000;
};

constexpr buffer_entry host_buffer{true, 7, 0x1000, 0x3000, memory_space::host, true, 0x8000, 5};

TEST_F(nic_firmware, finds_the_buffer_and_both_pages_of_a_put) {
    set(0, host_buffer);
    map(memory_space::host, 0x8000, 0x1000, 0xabcde'0000'1001);
    map(memory_space::host, 0x8000, 0x2000, 0x77001);
    EXPECT_EQ(put(7, 0x1ff0, 32), regs::lookup_result_status_accepted);
    EXPECT_EQ(page(0), 0xabcde'0000'1001u);
    EXPECT_EQ(page(1), 0x77001u);
    EXPECT_EQ(regs::lookup_result_ring.of(m_.results[0]), 5u);
    EXPECT_EQ(regs::lookup_result_space.of(m_.results[0]), 0u);
    EXPECT_EQ(put(7, 0x1000, 0x1000), regs::lookup_result_status_accepted);
    EXPECT_EQ(nic_.statistics.walks, 3u) << "a put to one page walks once";
}

TEST_F(nic_firmware, pages_of_a_gpu_have_64_kib) {
    const std::uint64_t base = 0xabcd'ef01'0000;
    set(3, {true, 1, base, 1 << 20, memory_space::gpu2, true, 0x8000, 0});
    map(memory_space::gpu2, 0x8000, base, 0x5'0000'0007);
    EXPECT_EQ(put(1, base + 0xf000, 0x1000), regs::lookup_result_status_accepted);
    EXPECT_EQ(page(0), 0x5'0000'0007u);
    EXPECT_EQ(regs::lookup_result_space.of(m_.results[0]), 3u);
    EXPECT_EQ(nic_.statistics.walks, 1u);
}

TEST_F(nic_firmware, refuses_in_the_order_of_the_rules) {
    set(2, host_buffer);
    EXPECT_EQ(put(8, 0x1000, 1), regs::lookup_result_status_no_buffer) << "another process";
    EXPECT_EQ(put(7 + 0x100, 0x1000, 1), regs::lookup_result_status_no_buffer) << "and another";
    set(5, {true, 0x109, 0x1000, 0x3000, memory_space::host, true, 0x8000, 5});
    EXPECT_EQ(put(9, 0x1000, 1), regs::lookup_result_status_no_buffer) << "all bits of a process count";
    EXPECT_EQ(put(7, 0xfff, 1), regs::lookup_result_status_no_buffer) << "before it";
    EXPECT_EQ(put(7, 0x4000, 1), regs::lookup_result_status_no_buffer) << "behind it";
    EXPECT_EQ(put(7, 0x3fff, 2), regs::lookup_result_status_bounds);
    EXPECT_EQ(put(7, 0x3fff, 1), regs::lookup_result_status_translation) << "its last byte";
    auto read_only = host_buffer;
    read_only.writable = false;
    set(1, read_only);
    EXPECT_EQ(put(7, 0x1000, 1), regs::lookup_result_status_access) << "the lower index counts";
    EXPECT_EQ(put(7, 0x3fff, 2), regs::lookup_result_status_bounds) << "before rights";
    EXPECT_THAT(nic_.statistics.results, ElementsAre(0, 5, 2, 1, 1));
}

TEST_F(nic_firmware, a_payload_that_wraps_at_the_end_of_the_address_space_is_out_of_bounds) {
    set(0, {true, 7, address_space - 0x1000, address_space, memory_space::host, true, 0x8000, 0});
    map(memory_space::host, 0x8000, address_space - 0x1000, 0x1001);
    EXPECT_EQ(put(7, address_space - 16, 16), regs::lookup_result_status_accepted);
    EXPECT_EQ(put(7, address_space - 16, 17), regs::lookup_result_status_bounds);
}

TEST_F(nic_firmware, an_entry_that_is_not_valid_at_any_level_ends_the_walk) {
    set(0, host_buffer);
    map(memory_space::host, 0x8000, 0x1000, 0x1001);
    const std::uint64_t first = entry_address(memory_space::host, 0x8000, 1, 0);
    const std::uint64_t second = entry_address(memory_space::host, next_table(m_.tables.entry(first)), 1, 1);
    const std::uint64_t third = entry_address(memory_space::host, next_table(m_.tables.entry(second)), 1, 2);
    unsigned reads = 1;
    for (const std::uint64_t at : {first, second, third}) {
        const std::uint64_t whole = m_.tables.entry(at);
        m_.tables.set_entry(at, whole & ~1ull);
        m_.table_loads = 0;
        EXPECT_EQ(put(7, 0x1000, 1), regs::lookup_result_status_translation);
        EXPECT_EQ(m_.table_loads, 2 * reads++ - 1) << "a whole entry a level, half of the last one";
        m_.tables.set_entry(at, whole);
    }
    EXPECT_EQ(put(7, 0x1000, 1), regs::lookup_result_status_accepted);
}

TEST_F(nic_firmware, tables_may_be_anywhere_in_64_bits) {
    const std::uint64_t root = 0xfedc'ba98'0000'0000;
    next_table_ = root - (1ull << 63) + 0x10'0000;  // differs in the uppermost bit of its segment alone
    set(0, {true, 7, 0x1000, 0x3000, memory_space::host, true, root, 5});
    map(memory_space::host, root, 0x1000, 0x9001);
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_accepted);
    EXPECT_EQ(page(0), 0x9001u);
    const unsigned before = m_.segments;
    set(0, host_buffer);
    next_table_ = 0x10'0000;
    map(memory_space::host, 0x8000, 0x1000, 0x5001);
    put(7, 0x1000, 16);
    put(7, 0x1000, 16);
    EXPECT_EQ(page(0), 0x5001u);
    EXPECT_EQ(m_.segments, before + 1) << "the segment is set only where it changes";
}

// Each entry before the matching one costs a load; entries after it cost nothing.
TEST_F(nic_firmware, the_search_reads_no_further_than_it_must) {
    map(memory_space::host, 0x8000, 0x1000, 0x9001);
    std::vector<unsigned> loads;
    for (unsigned index = 0; index < 4; ++index) {
        if (index != 0) set(index - 1, {true, 1, 0, 1, memory_space::host, true, 0, 0});
        set(index, host_buffer);
        set(63, host_buffer);
        m_.list_loads = 0;
        put(7, 0x1000, 16);
        loads.push_back(m_.list_loads);
    }
    EXPECT_THAT(loads, ElementsAre(7, 8, 9, 10));
    set(63, {});
    m_.list_loads = 0;
    put(9, 0x1000, 16);
    EXPECT_EQ(m_.list_loads, 4u) << "entries behind the last valid one are not read";
}

TEST_F(nic_firmware, commands_come_before_look_ups) {
    m_.commands.push_back({regs::command_opcode_set_buffer, 0, encode(host_buffer)});
    map(memory_space::host, 0x8000, 0x1000, 0x9001);
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_accepted);
}

TEST_F(nic_firmware, a_buffer_that_is_removed_is_found_no_more) {
    map(memory_space::host, 0x8000, 0x1000, 0x9001);
    set(4, host_buffer);
    set(9, host_buffer);
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_accepted);
    set(4, {});
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_accepted);
    set(9, {});
    EXPECT_EQ(nic_.buffers.used, 0u);
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_no_buffer);
    set(4, host_buffer);
    EXPECT_EQ(ask({regs::command_opcode_reset, 0}), 0u);
    EXPECT_EQ(put(7, 0x1000, 16), regs::lookup_result_status_no_buffer);
    EXPECT_EQ(m_.tables.list()[4 * ::buffer_words] & 1, 0u);
}

TEST_F(nic_firmware, commands_are_answered_and_wrong_ones_refused) {
    EXPECT_EQ(ask({regs::command_opcode_invalidate, 0, {0x8000}}), 0u);
    EXPECT_EQ(ask({regs::command_opcode_read_counter, 13}), 1013u);
    EXPECT_EQ(ask({regs::command_opcode_read_counter, 14}), UINT32_MAX);
    EXPECT_EQ(ask({regs::command_opcode_set_buffer, list_size, encode(host_buffer)}), UINT32_MAX);
    auto elsewhere = encode(host_buffer);
    elsewhere[0] |= ring_count << 8;
    EXPECT_EQ(ask({regs::command_opcode_set_buffer, 0, elsewhere}), UINT32_MAX) << "no such ring";
    EXPECT_EQ(ask({regs::command_opcode_set_ring, ring_count, {}}), UINT32_MAX);
    EXPECT_EQ(ask({99, 0}), UINT32_MAX);
    EXPECT_EQ(ask({regs::command_opcode_set_ring, 6, {0x12345678, 9, 64}}), 0u);
    EXPECT_EQ(ask({regs::command_opcode_set_ring, 256, {1, 9, 64}}), UINT32_MAX);
    EXPECT_THAT(m_.rings, ElementsAre(6));
    EXPECT_EQ(m_.held[regs::ring_base.offset / 4], 0x12345678u);
    EXPECT_EQ(m_.held[regs::ring_base.offset / 4 + 1], 9u);
    EXPECT_EQ(m_.held[regs::ring_entries.offset / 4], 64u);
    EXPECT_EQ(nic_.statistics.commands, 9u);
}

// A reset empties the queue between the read of IRQ_STATUS and the read of the packet.
TEST_F(nic_firmware, what_is_no_longer_there_is_not_answered) {
    m_.lookups.push_back({});
    receive_packet(&nic_);
    EXPECT_TRUE(m_.results.empty());
    m_.lookups.clear();
    m_.messages.push_back({});
    receive_get_request(&nic_);
    EXPECT_TRUE(m_.tasks.empty());
    EXPECT_EQ(m_.messages.size(), 1u);
}

TEST_F(nic_firmware, get_requests_go_on_whole) {
    m_.messages.push_back({1, 2, 3, 4, 5, 6, 7, 8});
    m_.messages.push_back({11, 12, 13, 14, 15, 16, 17, 18});
    serve_all();
    EXPECT_THAT(m_.tasks,
                ElementsAre(ElementsAre(1, 2, 3, 4, 5, 6, 7, 8), ElementsAre(11, 12, 13, 14, 15, 16, 17, 18)));
    EXPECT_EQ(nic_.statistics.get_requests, 2u);
    EXPECT_FALSE(nic_serve(&nic_));
}

// ---- the transmit side

TEST_F(nic_firmware, an_extent_ends_with_its_page) {
    set(0, {true, 7, 0x10000, 0x40000, memory_space::gpu1, false, 0x40'8000, 0});
    set(1, host_buffer);
    map(memory_space::gpu1, 0x40'8000, 0x20000, 0xab'1234'0007);
    map(memory_space::host, 0x8000, 0x1000, 0x77001);
    const auto ask = [&](std::uint64_t address, std::uint32_t length, std::uint32_t process = 7) {
        m_.transmit.push_back(
            {.status = tx::status_extent.mask(), .process = process, .length = length, .address = address});
        serve_all();
        return m_.extents.back();
    };
    const auto found = [](memory_space space) {
        return tx::extent_result_space.in_place(static_cast<unsigned>(space));
    };
    EXPECT_EQ(ask(0x20123, 0x20000), found(memory_space::gpu1)) << "it need not be writable";
    EXPECT_THAT(m_.extent, ElementsAre(0x1234'0123u, 0xabu, 0x10000u - 0x123u));
    EXPECT_EQ(ask(0x1ffc, 2), found(memory_space::host));
    EXPECT_THAT(m_.extent, ElementsAre(0x77ffcu, 0u, 4u));
    constexpr std::uint32_t none = tx::extent_result_status_not_registered;
    EXPECT_EQ(ask(0x20123, 0x40000), none) << "beyond its end";
    EXPECT_EQ(ask(0x30000, 1), none) << "no such page";
    EXPECT_EQ(ask(0x20123, 1, 8), none) << "another process";
    EXPECT_EQ(ask(0xfff, 1), none);
    EXPECT_EQ(nic_.statistics.extents, 6u);
}

TEST_F(nic_firmware, a_gpu_that_is_read_through_bar1_has_tables_of_its_own_for_it) {
    m_.source_tables = aperture_tables;
    nic_init(&nic_);
    set(0, {true, 7, 0x10000, 0x40000, memory_space::gpu0, true, 0x40'8000, 0});
    set(1, host_buffer);
    map(memory_space::gpu0, 0x40'8000, 0x10000, 0x5'0000'0007);
    map(memory_space::gpu0, aperture_tables + 0x40'8000, 0x10000, 0x9'0000'0001);
    map(memory_space::host, 0x8000, 0x1000, 0x77001);
    m_.transmit.push_back({.status = tx::status_extent.mask(), .process = 7, .length = 8, .address = 0x10010});
    serve_all();
    EXPECT_THAT(m_.extent, ElementsAre(0x10u, 9u, 0xfff0u));
    m_.transmit.push_back({.status = tx::status_extent.mask(), .process = 7, .length = 8, .address = 0x1010});
    serve_all();
    EXPECT_THAT(m_.extent, ElementsAre(0x77010u, 0u, 0xff0u)) << "the host's memory has not";
    EXPECT_EQ(put(7, 0x10000, 16), regs::lookup_result_status_accepted);
    EXPECT_EQ(page(0), 0x5'0000'0007u);
}

TEST_F(nic_firmware, read_requests_are_for_lines_and_places_side_by_side) {
    m_.transmit.push_back({.status = tx::status_reads.mask(), .address = 0x12'ffff'ff80, .place = 0xfffe, .count = 2});
    m_.transmit.push_back({.status = tx::status_reads.mask(), .address = 0x80, .place = 5, .count = 1});
    serve_all();
    EXPECT_THAT(m_.requests, ElementsAre(0xff'fe12'ffff'ff80, 0xff'ff13'0000'0000, 0x500'0000'0080));
    EXPECT_EQ(nic_.statistics.reads, 3u);
}

TEST_F(nic_firmware, windows_are_started) {
    m_.transmit.push_back({.status = tx::status_window.mask()});
    serve_all();
    EXPECT_EQ(m_.windows, 1u);
}

// Each kind is served once, in turn, while all of them wait.
TEST_F(nic_firmware, none_keeps_another_one_waiting) {
    for (unsigned i = 0; i < 3; ++i) {
        m_.lookups.push_back({1, 0, 0, 0});
        m_.messages.push_back({1, 2, 3, 4, 5, 6, 7, 8});
        m_.transmit.push_back({.status = tx::status_extent.mask(), .process = 7, .length = 8, .address = 0x1010});
    }
    m_.lookups.push_back({1, 0, 0, 0});
    serve_all();
    EXPECT_EQ(std::string(m_.order.begin(), m_.order.end()), "ltmltmltml");
}

// Compares with a plain version of the same search.
TEST_F(nic_firmware, random_look_ups_are_those_of_a_plain_search) {
    std::mt19937_64 random(11);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    std::map<unsigned, buffer_entry> registered;
    std::array<unsigned, 5> seen{};
    for (unsigned i = 0; i < 4000; ++i) {
        if (below(4) == 0) {
            const auto index = static_cast<unsigned>(below(8));
            const buffer_entry b{below(5) != 0,
                                 static_cast<std::uint16_t>(below(2)),
                                 0x1000 * below(8),
                                 1 + below(0x8000),
                                 static_cast<memory_space>(below(3)),
                                 below(4) != 0,
                                 0x8000,
                                 1};
            registered[index] = b;
            set(index, b);
            for (std::uint64_t a = b.base & ~0xfffull; a < b.base + b.length; a += 0x1000)
                if (below(3) == 0) map(b.space, b.root, a, below(1 << 30) << 12 | (below(4) != 0));
        }
        const auto process = static_cast<std::uint16_t>(below(2));
        const std::uint64_t address = below(0x10000);
        const auto length = static_cast<std::uint16_t>(1 + below(4096));
        const auto found = std::find_if(registered.begin(), registered.end(), [&](const auto& r) {
            return r.second.valid && r.second.process == process && r.second.holds(address);
        });
        std::uint32_t expected = regs::lookup_result_status_accepted;
        std::vector<std::uint64_t> pages;
        if (found == registered.end()) {
            expected = regs::lookup_result_status_no_buffer;
        } else if (!found->second.holds(address + length - 1)) {
            expected = regs::lookup_result_status_bounds;
        } else if (!found->second.writable) {
            expected = regs::lookup_result_status_access;
        } else {
            const memory_space space = found->second.space;
            for (std::uint64_t n = address >> page_bits(space); n <= (address + length - 1) >> page_bits(space); ++n) {
                std::uint64_t entry = found->second.root | 1;
                for (unsigned level = 0; level < 3 && (entry & 1); ++level)
                    entry = m_.tables.entry(entry_address(space, next_table(entry), n, level));
                pages.push_back(entry);
                if (!(entry & 1)) expected = regs::lookup_result_status_translation;
            }
        }
        ASSERT_EQ(put(process, address, length), expected) << i;
        ++seen[expected];
        if (expected != regs::lookup_result_status_accepted) continue;
        for (unsigned n = 0; n < pages.size(); ++n) ASSERT_EQ(page(n), pages[n]) << i;
    }
    for (const unsigned n : seen) EXPECT_GE(n, 50u);
}

}  // namespace

extern "C" {
std::uint32_t bus_load(std::uint32_t address) { return bus->load(address); }
void bus_store(std::uint32_t address, std::uint32_t value) { bus->store(address, value); }
}
