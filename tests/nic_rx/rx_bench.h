// SPDX-License-Identifier: Apache-2.0
// A NIC around the receive datapath's RTL: the torus, memories, page tables, the driver. It refuses, delays and
// reorders as a test wants, and notes what came when. Cycle t is the one in which a valid is seen; a time between two
// events is counted as in tlm/nic/receive/README.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "lib/apb.h"
#include "lib/credits.h"
#include "lib/gate.h"
#include "lib/memory.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/receive_case.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
#include "nic_rx/nic_rx_block.h"

namespace contraflow::testing {

class rx_bench {
public:
    static constexpr unsigned longest_wait = 20'000;  // cycles, for a command, the bus, or the end of a reset
    // What may be held back: words, writes, reads of tables, messages, drops, acknowledgements, entries of tables.
    enum port : unsigned { words, dma, table, message, error, acknowledgement, entry, ports };
    struct behaviour {
        unsigned table_latency = 4;         // cycles, at least 2
        unsigned acknowledge_latency = 20;  // cycles, at least 2
        std::uint64_t seed = 0;             // not 0: refuses, delays and acknowledges at random
        unsigned refuse_dma = 0;            // one cycle in so many, with a seed
        unsigned refuse_table = 0, refuse_message = 0, refuse_error = 0, refuse_word = 0;  // likewise
        unsigned rings = 16;                                                               // that are set up
        std::uint32_t ring_entries = 4096;
        bool empty_rings = true;  // at once
        nic_rx::build build = nic_rx::build::usual;
        std::function<std::unique_ptr<nic_rx::nic_rx_block>()> make = nullptr;  // null: one of that build
        bool by_core = false;           // misses and commands go to a core, which is the bench
        bool edges_when_quiet = false;  // three edges more in each quiet cycle, without an input
        // Back-pressure, or late acknowledgements, in patterns, instead of one cycle in so many.
        std::optional<std::array<lib::pattern, ports>> patterns = std::nullopt;
        lib::pattern bus_rests = lib::pattern::none;  // between accesses of the core
        bool from_last = false;        // acknowledge_latency counts from a write's last beat, not its first
        bool entries_at_once = false;  // in the cycle that takes their read
        bool wide_rings = false;       // their addresses use all bits
        bool any_rest = false;         // what goes with a valid is anything without it
        bool pages_move = false;       // physical pages have their root, and its moves so far, in their highest bits
    };
    struct noted {
        std::uint64_t packet = 0, cycle = 0;  // of a write: its first beat
        nic::action what;
        std::uint64_t last = 0;  // of a write: its last beat
    };

    rx_bench(nic::receive_case c, const behaviour& b);

    // One cycle.
    void step();
    void steps(unsigned n) {
        while (n-- > 0) step();
    }
    // Until all packets have ended; false: it took more than so many cycles without an event.
    bool run(std::uint64_t patience = 20000);
    bool done() const;
    // The answer of a command of the driver.
    std::uint32_t command(std::uint8_t opcode, std::uint16_t index, const std::array<std::uint32_t, 8>& data);
    void set_buffer(unsigned index, const nic::buffer_entry& b);
    void set_ring(unsigned ring) { set_ring(ring, behaviour_.ring_entries); }
    void set_ring(unsigned ring, std::uint32_t entries);
    void set_up();  // buffers and rings of the case
    // Begins a command, which ends in a later cycle.
    void begin_command(std::uint8_t opcode, std::uint16_t index, const std::array<std::uint32_t, 8>& data);
    bool command_ended() const { return !in_.command_valid; }
    // An access of the core; the value read. A refused one sets `bus_error`.
    std::uint32_t bus(bool write, std::uint32_t address, std::uint32_t value = 0);
    static constexpr unsigned registers = nic::nic_rx_registers::rings.offset / 4 + 1;  // on it
    // The address of a word of BUF_LIST.
    static constexpr unsigned list_word(unsigned entry, unsigned word = 0) { return 0x1000 + 32 * entry + 4 * word; }
    // Writes an entry, word by word.
    void write_entry(unsigned entry, const nic::buffer_record& words);
    void soft_reset();
    void hard_reset(unsigned edges = 2);  // that come while it lasts; it acts without any
    void forget();                        // the packets so far: a reset has removed them
    // The host has read that many completions of a ring.
    void consume(std::uint8_t ring, std::uint32_t count) {
        consumed_count_[ring] = count - 1;
        consumed_.emplace_back(cycle, ring);
    }

    struct under_way {
        bool nothing, read_offered, read_waits, entry_comes, word, write, writes_out;
    };
    // Whose walk was in the cycle that was played last, where every walk has all levels.
    enum class walk : std::uint8_t { none, request, waiting, taken };
    struct walk_state {
        walk state = walk::none;
        unsigned level = 0;
    };
    walk_state walking() const;
    // A ring has no room for a completion.
    bool ring_full(unsigned ring) const { return produced_[ring] - consumed_count_[ring] == entries_[ring]; }
    // That were written to a ring since it was set up.
    std::uint32_t completions(unsigned ring) const { return produced_[ring]; }
    // The host has read all completions of a ring.
    void consume_all(unsigned ring) { consume(static_cast<std::uint8_t>(ring), produced_[ring]); }
    under_way inside() const {
        return {out().idle && word_ == 0, out().table_valid, table_.busy(), in_.entry_valid, word_ != 0, inside_write_,
                !credits_.empty()};
    }

    // With pages_move: the tables of that root, or of all, show other pages from now on. Once they have left, no write
    // that begins goes to a former page; of all, no write of a packet that begins.
    static constexpr unsigned root_bits = 3, move_bits = 3, page_bits_moved = root_bits + move_bits;
    void move_pages(std::optional<std::uint64_t> root);
    void leave_former_pages(std::optional<std::uint64_t> root);

    // What came when, of a block that may do anything: a broken rule, and 0, if it has not come.
    std::uint64_t begin_of(std::size_t packet);  // the cycle of its first word
    noted first_of(std::size_t packet);          // its first action
    noted action(std::size_t number);            // in order of time
    std::uint64_t time_of_all();                 // cycles from the first action to the last

    // Whether a packet begins with this word.
    bool has_header(const nic_rx::word& header) const;
    nic::receive_counters counters();
    nic::receive_result actions_so_far() const;  // in order of packets
    nic::receive_result result();                // with the counters

    nic::receive_case given;
    std::map<std::uint64_t, std::uint64_t> tables;
    std::size_t next = 0;  // packet that comes in
    std::deque<noted> log;
    std::vector<std::uint64_t> began;  // cycle of each packet's first word
    std::uint64_t cycle = 0, table_reads = 0, quiet_cycles = 0;
    std::string broken;  // empty, or a rule of the ports that did not hold
    bool bus_error = false;
    bool in_soft_reset = false;  // what the core reads meanwhile may vanish
    bool errors_may_be_lost = false;
    bool read_and_written = false;  // the host has read a ring in the cycle in which a completion was written to it
    bool feeding = false;           // packets come; run() turns it on
    std::size_t packets_to_come =
        ~std::size_t{0};  // the first ones of the case; run() and done() are content with these
    // Bits that change in the packet buffer in the cycle after their word has come, from the first packet after a reset
    // on.
    std::map<std::size_t, std::vector<payload_bit>> bad_payloads;
    void flip_in_list(unsigned entry, unsigned bit) {
        block_->flip({nic_rx::stored_bit::memory::buf_list, entry, bit});
    }
    // Changes a counter, of that place in the register map or that of lost errors, as if packets had ended; the block
    // is idle.
    void count(unsigned place, std::uint32_t from, std::uint32_t to);
    // The write of that tag is acknowledged next, held or not.
    void acknowledge(std::uint8_t tag) { let_go_ = tag; }
    // Writes that are not acknowledged, the oldest first.
    std::vector<std::uint8_t> tags_out() const { return credits_.tags(); }
    // Writes of its payload that are not acknowledged.
    unsigned writes_of(std::uint64_t packet) const {
        const auto at = writes_.find(packet);
        return at == writes_.end() ? 0 : at->second;
    }
    // The tag of the newest completion, if that is not acknowledged.
    std::optional<std::uint8_t> tag_of_completion() const {
        if (completion_tag_ && credits_.holds(*completion_tag_)) return completion_tag_;
        return std::nullopt;
    }
    // Whether some write of the payload of that packet, or of one before it, is not acknowledged.
    bool writes_out_of(std::uint64_t last) const { return !writes_.empty() && writes_.begin()->first <= last; }
    bool hold_acknowledgements = false, hold_tables = false, hold_dma = false, hold_messages = false,
         hold_errors = false;
    std::function<void()> core;                  // called in every cycle: firmware
    std::optional<std::uint64_t> soft_reset_at;  // a cycle, whatever is under way then
    const nic_rx::outputs& out() const { return block_->out(); }
    nic_rx::inputs& in() { return in_; }
    std::uint32_t answer = 0;    // of the last command
    std::uint64_t answered = 0;  // its cycle
    void break_rule(const std::string& text) {
        if (broken.empty()) broken = "cycle " + std::to_string(cycle) + ": " + text;
    }

private:
    bool once_in(unsigned n) { return n != 0 && behaviour_.seed != 0 && random_() % n == 0; }
    bool open(port p, unsigned refuse, bool moment);
    std::uint64_t after(unsigned usual);
    std::uint64_t base_of(unsigned ring) const;
    void take_completion(std::uint64_t packet);
    void offer_word();
    void offer_answers();
    void take_dma();
    void take_end_of_write(std::uint16_t number);
    void log_write(std::uint64_t packet);
    std::uint64_t entry_at(std::uint64_t address) const;
    std::uint64_t entry_of_walk(std::uint64_t address);
    void check_page();
    void take_others();
    void try_quiet();
    void spoil_payload();
    void change_the_rest();
    void check_calm();
    void check_offers();
    std::size_t last_packet() const { return std::min(packets_to_come, given.packets.size()); }
    std::optional<std::uint64_t> packet_of(std::uint16_t number);

    const behaviour behaviour_;
    std::mt19937_64 random_;
    std::unique_ptr<nic_rx::nic_rx_block> block_;
    nic_rx::inputs in_, driven_;  // driven_: those of this cycle
    std::size_t word_ = 0;        // of the packet that comes in
    lib::credit_return credits_;  // of writes that are not acknowledged
    lib::memory_port<std::uint64_t> table_;
    std::optional<std::uint8_t> let_go_, completion_tag_;
    std::map<std::uint8_t, std::uint64_t> packet_of_tag_;
    std::map<std::uint64_t, unsigned> writes_;  // of payload, not acknowledged, by packet
    std::deque<std::pair<std::uint64_t, std::uint8_t>> consumed_;
    std::array<std::uint32_t, 256> consumed_count_{}, produced_{}, entries_{};
    core::random_source gate_random_;
    std::vector<lib::gate> gates_;
    lib::apb_master bus_;
    bool entry_came_ = false;  // in the cycle before
    // The level that a walk reads next, and the place of its root in roots_.
    unsigned level_ = 0, root_ = 0;
    struct moves {
        std::uint64_t so_far = 0, least = 0, least_later = 0;  // a page that is written has had at least so many
    };
    std::vector<std::uint64_t> roots_;
    std::array<moves, 1u << root_bits> moves_{};
    std::uint64_t later_ = ~std::uint64_t{0};  // least_later holds for packets that begin after that cycle
    std::vector<std::uint8_t> bytes_;          // of the write under way
    // Kind, space, address, token, packet, tag: the same in all beats of a write.
    using dma_head = std::tuple<unsigned, unsigned, std::uint64_t, unsigned, unsigned, unsigned>;
    dma_head head_;
    bool inside_write_ = false, core_works_ = false;
    std::array<bool, 4> shown_{};             // valids of outputs in the cycle before
    std::optional<nic_rx::outputs> offered_;  // in the cycle before, with a write or a read that was not taken
    bool stays_calm_ = false;                 // calm_o was on in the cycle before, and nothing has come that may end it
    bool took_word_ = false;                  // in the cycle before: a packet of one word is inside only then
    std::uint64_t write_began_ = 0;
    std::uint64_t last_event_ = 0;
    std::vector<nic_rx::stored_bit> flips_;  // with the next edge
    unsigned stored_ = 0;  // words of payload in the packet buffer before the packet that comes in, since a reset
};

}  // namespace contraflow::testing
