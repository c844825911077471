// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/rx_bench.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"

namespace contraflow::testing {
namespace {

namespace regs = nic::nic_rx_registers;

constexpr unsigned ring_shift = 32;  // rings in the host's memory: each 2^32 bytes after the one before
constexpr unsigned most_rings = 256;
constexpr unsigned longest_run = 400'000;  // cycles, although something happens all the time

}  // namespace

rx_bench::rx_bench(nic::receive_case c, const behaviour& b)
    : given(std::move(c)),
      tables(given.tables.begin(), given.tables.end()),
      behaviour_(b),
      random_(b.seed),
      block_(b.make ? b.make() : nic_rx::make_nic_rx_block(b.build)),
      gate_random_(core::mix64(b.seed)),
      bus_(core::mix64(b.seed), b.bus_rests, false) {
    if (b.patterns)
        for (const lib::pattern p : *b.patterns) gates_.emplace_back(gate_random_, p);
    for (const auto& entry : given.buffers)
        if (std::find(roots_.begin(), roots_.end(), entry.second.root) == roots_.end())
            roots_.push_back(entry.second.root);
    if (b.pages_move && roots_.size() > moves_.size()) throw std::logic_error("more roots than pages tell apart");
    in_.node = static_cast<std::uint16_t>(nic::bits_of(given.node));
    in_.max_payload = static_cast<std::uint8_t>(std::countr_zero(given.max_payload / 64));
    in_.by_core = b.by_core;
    hard_reset();
}

// At any time: what was sent and read is forgotten by both sides.
void rx_bench::hard_reset(unsigned edges) {
    const nic_rx::inputs before = in_;
    in_ = {};
    in_.node = before.node;
    in_.max_payload = before.max_payload;
    in_.by_core = before.by_core;
    in_.rst_n = false;
    bus_.reset();
    block_->drive(in_);
    for (unsigned i = 0; i < edges; ++i) {
        block_->edge();
        block_->drive(in_);
    }
    in_.rst_n = true;
    block_->drive(in_);
    if (out().in_ready || !out().resetting)
        break_rule("a word or a command is taken before the first edge after a reset");
    block_->edge();
    block_->drive(in_);
    credits_.reset();
    table_.reset();
    let_go_.reset();
    completion_tag_.reset();
    offered_.reset();
    packet_of_tag_.clear();
    inside_write_ = feeding = took_word_ = stays_calm_ = false;
    bytes_.clear();
    level_ = 0;
    word_ = 0;
    forget();
}

void rx_bench::forget() {
    log.clear();
    began.clear();
    next = stored_ = 0;
    writes_.clear();
    consumed_.clear();
}

void rx_bench::set_up() {
    for (const auto& [index, entry] : given.buffers) set_buffer(index, entry);
    for (unsigned ring = 0; ring < behaviour_.rings; ++ring) set_ring(ring);
}

void rx_bench::set_buffer(unsigned index, const nic::buffer_entry& b) {
    if (command(regs::command_opcode_set_buffer, static_cast<std::uint16_t>(index), nic::encode(b)) != 0)
        break_rule("a buffer is refused");
}

void rx_bench::set_ring(unsigned ring, std::uint32_t entries) {
    consumed_count_[ring] = produced_[ring] = 0;
    entries_[ring] = entries;
    const std::uint64_t base = base_of(ring) | ((cycle + 1) & 31);  // the block ignores the low bits
    if (command(regs::command_opcode_set_ring, static_cast<std::uint16_t>(ring),
                {static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32), entries, 0, 0, 0, 0, 0}) !=
        0)
        break_rule("a ring is refused");
}

void rx_bench::begin_command(std::uint8_t opcode, std::uint16_t index, const std::array<std::uint32_t, 8>& data) {
    if (in_.command_valid) return;  // one that was not answered: it stays
    in_.command_valid = true;
    in_.command_opcode = opcode;
    in_.command_index = index;
    in_.command_data = data;
}

std::uint32_t rx_bench::command(std::uint8_t opcode, std::uint16_t index, const std::array<std::uint32_t, 8>& data) {
    const bool hangs = !command_ended();
    begin_command(opcode, index, data);
    for (unsigned i = 0; !hangs && !command_ended(); ++i) {
        if (i == longest_wait) {
            break_rule("a command is not answered");
            return answer;
        }
        step();
    }
    return answer;
}

std::uint32_t rx_bench::bus(bool write, std::uint32_t address, std::uint32_t value) {
    bus_.add({write, address, value});
    bool ended = false;
    for (unsigned i = 0; !ended && i < longest_wait; ++i) {
        bus_.drive(in_, in_.ack_valid || in_.entry_valid);
        step();
        ended = bus_.ended(out().pready);
    }
    if (!ended) break_rule("the bus does not answer");
    bus_error = out().pslverr;
    const std::uint32_t read = out().prdata;
    bus_.drive(in_, false);
    return read;
}

void rx_bench::write_entry(unsigned entry, const nic::buffer_record& words) {
    for (unsigned w = 0; w < 8; ++w) bus(true, list_word(entry, w), words[w]);
}

// The torus ends the packet that it has begun, and begins with the first one again.
void rx_bench::soft_reset() {
    feeding = false;
    in_soft_reset = in_.soft_reset = true;
    step();
    in_.soft_reset = false;
    if (word_ == 0) in_.in_valid = false;
    unsigned steps = 0;
    do step();
    while (out().resetting && ++steps < longest_wait);
    in_soft_reset = false;
    if (out().resetting) break_rule("a reset does not end");
    if (word_ != 0) break_rule("a reset ends within a packet");
    word_ = 0;
    in_.in_valid = false;
    forget();
}

rx_bench::walk_state rx_bench::walking() const {
    const bool taken_now = out().table_valid && in_.table_ready;
    const auto level = [](std::uint64_t reads) { return static_cast<unsigned>(reads % nic::table_levels); };
    if (out().table_valid) return {walk::request, level(table_reads - (taken_now ? 1 : 0))};
    if (table_.busy() || in_.entry_valid) return {walk::waiting, level(table_reads - 1)};
    if (entry_came_) return {walk::taken, level(table_reads - 1)};
    return {};
}

// A number on a port counts modulo 2^16; it belongs to one of the last packets.
std::optional<std::uint64_t> rx_bench::packet_of(std::uint16_t number) {
    const std::uint64_t newest = began.size();
    const auto before = static_cast<std::uint16_t>(newest - number);
    if (before != 0 && before <= newest) return newest - before;
    break_rule("a number is that of no packet");
    return {};
}

std::uint64_t rx_bench::begin_of(std::size_t packet) {
    if (packet < began.size()) return began[packet];
    break_rule("a packet does not begin");
    return 0;
}

rx_bench::noted rx_bench::first_of(std::size_t packet) {
    const auto first = std::find_if(log.begin(), log.end(), [&](const noted& n) { return n.packet == packet; });
    if (first != log.end()) return *first;
    break_rule("a packet does nothing");
    return {};
}

rx_bench::noted rx_bench::action(std::size_t number) {
    if (number < log.size()) return log[number];
    break_rule("an action is missing");
    return {};
}

std::uint64_t rx_bench::time_of_all() { return action(log.size() - 1).cycle - action(0).cycle; }

std::uint64_t rx_bench::base_of(unsigned ring) const {
    if (!behaviour_.wide_rings) return std::uint64_t{ring + 1} << ring_shift;
    return core::mix64(behaviour_.seed * most_rings + ring) & ~std::uint64_t{nic::completion_record::size - 1};
}

// An adversarial side acts in the moments in which another one does not expect it, and seldom in others.
bool rx_bench::open(port p, unsigned refuse, bool moment) {
    if (gates_.empty()) return !once_in(refuse);
    return gates_[p].open(gate_random_, moment || gate_random_.below(16) == 0);
}

std::uint64_t rx_bench::after(unsigned usual) {
    return cycle + (behaviour_.seed == 0 ? usual - 1 : 1 + random_() % (2 * std::uint64_t{usual}));
}

bool rx_bench::done() const {
    return next >= last_packet() && !took_word_ && out().idle && !out().message_valid && !out().error_valid;
}

bool rx_bench::run(std::uint64_t patience) {
    feeding = true;
    step();
    last_event_ = cycle;
    const std::uint64_t last = cycle + longest_run;
    while (!done() && cycle - last_event_ < patience && cycle < last) step();
    return done();
}

void rx_bench::offer_word() {
    if (in_.in_valid) return;  // it stays until it is taken
    if (word_ == 0 && (!feeding || next >= last_packet())) return;
    if (!open(words, behaviour_.refuse_word, out().dma_valid && !in_.dma_ready)) return;
    const auto& words = given.packets[next];
    in_.in_valid = true;
    in_.in_null = words.empty();
    in_.in_last = (word_ + 1) * nic_rx::word_bytes >= words.size();
    in_.in_data.fill(0xff);  // of no meaning if there is no word
    if (!words.empty())
        std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(word_ * nic_rx::word_bytes), nic_rx::word_bytes,
                    in_.in_data.begin());
}

void rx_bench::offer_answers() {
    in_.ack_valid = in_.entry_valid = in_.consumed_valid = false;
    std::optional<std::uint8_t> tag;
    if (!let_go_ && !hold_acknowledgements) tag = credits_.due(cycle);
    if (let_go_ && credits_.holds(*let_go_)) tag = let_go_;
    if (tag && open(acknowledgement, 0, out().command_ready || cycle - last_event_ > 12)) {
        in_.ack_valid = true;
        in_.ack_tag = *tag;
        let_go_.reset();
        if (const auto of = packet_of_tag_.find(*tag); of != packet_of_tag_.end()) {
            if (--writes_[of->second] == 0) writes_.erase(of->second);
            packet_of_tag_.erase(of);
        }
        credits_.give_back(*tag);
    }
    if (!hold_tables && table_.due(cycle) && open(entry, 0, cycle - last_event_ > 12)) {
        in_.entry_valid = true;
        in_.entry = table_.give();
    }
    if (!consumed_.empty() && consumed_.front().first <= cycle) {
        const std::uint8_t ring = consumed_.front().second;
        consumed_.pop_front();
        in_.consumed_valid = true;
        in_.consumed_ring = ring;
        in_.consumed_count = ++consumed_count_[ring];
    }
}

void rx_bench::take_end_of_write(std::uint16_t number) {
    const auto& o = out();
    const auto packet = packet_of(number);
    const bool completes = o.dma_kind == static_cast<unsigned>(nic::dma_kind::completion);
    if (packet && !completes) {
        packet_of_tag_[o.dma_tag] = *packet;
        ++writes_[*packet];
    }
    if (completes) completion_tag_ = o.dma_tag;
    const std::uint64_t from_first = behaviour_.from_last ? 0 : cycle - write_began_;
    if (!credits_.take(o.dma_tag, std::max(after(behaviour_.acknowledge_latency) - from_first, cycle + 1)))
        break_rule("a tag is used twice");
    if (packet) log_write(*packet);
    bytes_.clear();
}

void rx_bench::log_write(std::uint64_t packet) {
    const auto& o = out();
    const auto space = static_cast<nic::memory_space>(o.dma_space);
    const std::size_t before = log.size();
    if (o.dma_kind == static_cast<unsigned>(nic::dma_kind::window)) {
        log.push_back({packet, write_began_, nic::window_move{space, {o.dma_address, o.dma_token}}});
    } else if (o.dma_kind == static_cast<unsigned>(nic::dma_kind::data)) {
        log.push_back({packet, write_began_, nic::data_write{space, o.dma_address, bytes_}});
    } else {
        take_completion(packet);
    }
    if (log.size() != before) log.back().last = cycle;
}

void rx_bench::take_completion(std::uint64_t packet) {
    if (bytes_.size() != nic::completion_record::size) return break_rule("a completion has another size");
    const auto record = nic::completion_record::decode(
        std::span<const std::uint8_t, nic::completion_record::size>(bytes_.data(), bytes_.size()));
    unsigned ring = 0;
    while (ring < behaviour_.rings &&
           out().dma_address !=
               base_of(ring) + std::uint64_t{entries_[ring] == 0 ? 0 : produced_[ring] % entries_[ring]} *
                                   nic::completion_record::size)
        ++ring;
    if (ring == behaviour_.rings) return break_rule("a completion is not at the next place of a ring");
    if (in_.consumed_valid && in_.consumed_ring == ring) read_and_written = true;
    if (ring_full(ring)) break_rule("a completion is written to a full ring");
    if (record.sequence != ++produced_[ring]) break_rule("a completion has the wrong sequence number");
    if (record.refused) break_rule("a completion says that a GPU has refused");
    if (writes_.contains(packet)) break_rule("a completion comes before its writes are acknowledged");
    log.push_back(
        {packet, write_began_,
         nic::completion_event{ring, record.process, record.tag, record.source, record.address, record.length}});
    if (behaviour_.empty_rings) consumed_.emplace_back(cycle + 1, static_cast<std::uint8_t>(ring));
}

void rx_bench::take_dma() {
    const auto& o = out();
    if (!o.dma_valid || !in_.dma_ready) return;
    last_event_ = cycle;
    const dma_head head{o.dma_kind, o.dma_space, o.dma_address, o.dma_token, o.dma_packet, o.dma_tag};
    if (inside_write_ && head != head_) break_rule("a beat has other fields than the first one of its write");
    if (!inside_write_) {
        write_began_ = cycle;
        check_page();
    }
    head_ = head;
    const bool window = o.dma_kind == static_cast<unsigned>(nic::dma_kind::window),
               completion = o.dma_kind == static_cast<unsigned>(nic::dma_kind::completion);
    if (!window && o.dma_token != 0) break_rule("a write that moves no window has a token");
    if (completion && o.dma_space != 0) break_rule("a completion is not for the host");
    if (window && (o.dma_strobe != 0 || !o.dma_last)) break_rule("a window moves with data");
    inside_write_ = !o.dma_last;
    for (unsigned i = 0; i < nic_rx::word_bytes; ++i)
        if (!window && (o.dma_strobe >> i & 1) == 0 && o.dma_data[i] != 0)
            break_rule("a byte that is not written is not 0");
    if (o.dma_strobe != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(o.dma_strobe));
        const auto count = static_cast<unsigned>(std::popcount(o.dma_strobe));
        if (std::countr_one(static_cast<std::uint16_t>(o.dma_strobe >> first)) != static_cast<int>(count))
            break_rule("a strobe has a hole");
        if (first != (bytes_.empty() ? o.dma_address % nic_rx::word_bytes : 0))
            break_rule("a strobe is at a wrong place");
        if (!o.dma_last && first + count != nic_rx::word_bytes) break_rule("a write has a hole");
        bytes_.insert(bytes_.end(), o.dma_data.begin() + first, o.dma_data.begin() + first + count);
    }
    if (o.dma_last) take_end_of_write(o.dma_packet);
}

std::uint64_t rx_bench::entry_at(std::uint64_t address) const {
    const auto at = tables.find(address);
    return at == tables.end() ? 0 : at->second;
}

void rx_bench::move_pages(std::optional<std::uint64_t> root) {
    for (std::size_t r = 0; r < roots_.size(); ++r)
        if (!root || roots_[r] == *root) ++moves_[r].so_far;
}

void rx_bench::leave_former_pages(std::optional<std::uint64_t> root) {
    for (std::size_t r = 0; r < roots_.size(); ++r) {
        if (!root) moves_[r].least_later = moves_[r].so_far;
        if (root == roots_[r]) moves_[r].least = moves_[r].so_far;
    }
    if (!root) later_ = cycle;
}

// Tells tables apart by the walk; with a core, which reads several at once, pages do not move.
std::uint64_t rx_bench::entry_of_walk(std::uint64_t address) {
    constexpr std::uint64_t longest_table = 0x8000;
    std::uint64_t entry = entry_at(address);
    if (level_ == 0)
        root_ =
            static_cast<unsigned>(std::find_if(roots_.begin(), roots_.end(),
                                               [&](std::uint64_t r) { return address - r / 8 * 8 < longest_table; }) -
                                  roots_.begin());
    const bool leaf = level_ + 1 == nic::table_levels, valid = (entry & nic::table_valid) != 0;
    level_ = valid && !leaf ? level_ + 1 : 0;
    if (behaviour_.pages_move && leaf && valid && root_ < roots_.size())
        entry = (entry << page_bits_moved >> page_bits_moved) | std::uint64_t{root_} << (64 - root_bits) |
                moves_[root_].so_far % (1u << move_bits) << (64 - page_bits_moved);
    return entry;
}

// Checks the page of a write that begins.
void rx_bench::check_page() {
    const auto& o = out();
    if (!behaviour_.pages_move || o.dma_kind == static_cast<unsigned>(nic::dma_kind::completion)) return;
    const auto packet = packet_of(o.dma_packet);
    const moves& m = moves_[o.dma_address >> (64 - root_bits)];
    const bool later = packet && began[*packet] > later_;
    const std::uint64_t behind = (m.so_far - (o.dma_address >> (64 - page_bits_moved))) % (1u << move_bits);
    if (behind > m.so_far - std::max(m.least, later ? m.least_later : 0))
        break_rule("a page is written after the removal of its translation");
}

bool rx_bench::has_header(const nic_rx::word& header) const {
    return std::any_of(given.packets.begin(), given.packets.end(), [&](const std::vector<std::uint8_t>& words) {
        return words.size() >= header.size() && std::equal(header.begin(), header.end(), words.begin());
    });
}

void rx_bench::take_others() {
    const auto& o = out();
    if (o.resetting) level_ = 0;
    took_word_ = in_.in_valid && o.in_ready;
    if (took_word_) {
        last_event_ = cycle;
        if (word_ == 0) began.push_back(cycle);
        ++word_;
        in_.in_valid = false;
        if (!bad_payloads.empty() && !o.resetting) spoil_payload();
        if (in_.in_last) {
            ++next;
            word_ = 0;
        }
    }
    if (o.table_valid && in_.table_ready) {
        last_event_ = cycle;
        ++table_reads;
        const std::uint64_t due = after(behaviour_.table_latency);
        const std::uint64_t word = entry_of_walk(o.table_address);  // as it is now, although it comes later
        if (!behaviour_.entries_at_once && !table_.take(word, due)) break_rule("a second read of a table");
    }
    if (o.message_valid && in_.message_ready) {
        if (!has_header(o.message_words[0])) break_rule("a get request has a header that no packet has");
        const auto h = nic::packet_header::decode(o.message_words[0]);
        if (const auto packet = packet_of(o.message_packet))
            log.push_back(
                {*packet, cycle,
                 nic::mailbox_message{
                     h.process, h.tag, h.source, h.address, {o.message_words[1].begin(), o.message_words[1].end()}}});
    }
    if (o.error_valid && in_.error_ready)
        if (const auto packet = packet_of(o.error_packet))
            log.push_back({*packet, cycle,
                           nic::drop_action{static_cast<nic::drop_reason>(o.error_reason), o.error_process, o.error_tag,
                                            nic::position_of(o.error_source)}});
    if (in_.command_valid && o.command_ready) {
        answer = o.command_answer;
        answered = cycle;
        in_.command_valid = false;
    }
    if (o.errors_lost != 0 && !errors_may_be_lost) break_rule("an error was lost");
}

// Edges without a valid and without a ready, as many as come until the next input. What is offered would stay.
void rx_bench::try_quiet() {
    if (driven_.in_valid || driven_.command_valid || driven_.psel) return;
    ++quiet_cycles;
    nic_rx::inputs none;
    none.node = in_.node;
    none.max_payload = in_.max_payload;
    none.by_core = in_.by_core;
    for (unsigned edges = 0; edges < 3; ++edges) {
        block_->clock(none, none);
        if (!out().quiet) break_rule("quiet_o falls by itself");
    }
    block_->drive(driven_);
}

// A word of the packet `next` has been taken; a word of payload is stored with the next edge.
void rx_bench::spoil_payload() {
    const unsigned words = static_cast<unsigned>(given.packets[next].size() / nic_rx::word_bytes);
    if (const auto bad = bad_payloads.find(next); bad != bad_payloads.end() && word_ > 1 && !in_.in_last)
        for (const payload_bit& p : bad->second)
            if (p.word + 2 == word_)
                flips_.push_back({nic_rx::stored_bit::memory::packet_buffer, stored_ + p.word, p.bit});
    if (in_.in_last && is_stored(given, next)) stored_ += words - 2;
}

// What goes with a valid has no meaning without it.
void rx_bench::change_the_rest() {
    core::random_source any(core::mix64(behaviour_.seed ^ cycle << 32));
    const auto word = [&] { return static_cast<std::uint32_t>(any.next()); };
    if (!in_.in_valid)
        for (auto& b : in_.in_data) b = static_cast<std::uint8_t>(any.next());
    if (!in_.ack_valid) in_.ack_tag = static_cast<std::uint8_t>(any.below(2));
    if (!in_.entry_valid) in_.entry = any.next();
    if (!in_.consumed_valid) {
        in_.consumed_ring = static_cast<std::uint8_t>(any.next());
        in_.consumed_count = word();
    }
    if (!in_.command_valid) {
        in_.command_opcode = static_cast<std::uint8_t>(any.below(8));
        in_.command_index = static_cast<std::uint16_t>(any.below(64));
        for (auto& d : in_.command_data) d = word();
    }
    if (!in_.psel) {
        in_.paddr = static_cast<std::uint16_t>(any.below(256) * 4);
        in_.pwrite = any.below(2) == 0;
        in_.pwdata = word();
    }
}

// Words and beats that come and go leave calm_o on, but for the last of a packet or a write, and bring nothing else.
void rx_bench::check_calm() {
    const auto& o = out();
    const std::array<bool, 4> shown{o.dma_valid, o.table_valid, o.message_valid, o.error_valid};
    if (stays_calm_ && !o.calm) break_rule("calm_o falls by itself");
    for (std::size_t i = 0; stays_calm_ && i < shown.size(); ++i)
        if (shown[i] && !shown_[i]) break_rule("something begins although calm_o is on");
    shown_ = shown;
    stays_calm_ = o.calm && !o.resetting && !(in_.in_valid && in_.in_last) &&
                  !(o.dma_valid && in_.dma_ready && o.dma_last) && !in_.ack_valid && !in_.entry_valid &&
                  !in_.consumed_valid && !in_.command_valid && !in_.psel && !in_.soft_reset && in_.rst_n &&
                  !(o.table_valid && in_.table_ready) && !(o.message_valid && in_.message_ready) &&
                  !(o.error_valid && in_.error_ready) && !o.task_valid;
}

// A write or a read that is offered stays as it is until it is taken, in a soft reset, too.
void rx_bench::check_offers() {
    const auto& o = out();
    const auto beat = [](const nic_rx::outputs& x) {
        return std::tie(x.dma_kind, x.dma_space, x.dma_address, x.dma_token, x.dma_packet, x.dma_tag, x.dma_data,
                        x.dma_strobe, x.dma_last);
    };
    const bool waits_for_dma = o.dma_valid && !in_.dma_ready, waits_for_table = o.table_valid && !in_.table_ready;
    if (offered_ && offered_->dma_valid && (!o.dma_valid || beat(*offered_) != beat(o)))
        break_rule("a beat that is offered does not stay");
    if (offered_ && offered_->table_valid && (!o.table_valid || offered_->table_address != o.table_address))
        break_rule("a read that is offered does not stay");
    offered_.reset();
    if (!waits_for_dma && !waits_for_table) return;
    offered_ = o;
    offered_->dma_valid = waits_for_dma;
    offered_->table_valid = waits_for_table;
}

void rx_bench::step() {
    if (core && !core_works_) {
        core_works_ = true;  // an access takes cycles, in which it begins no other
        core();
        core_works_ = false;
    }
    entry_came_ = in_.entry_valid;
    offer_word();
    offer_answers();
    in_.dma_ready = !hold_dma && open(dma, behaviour_.refuse_dma, in_.ack_valid);
    in_.table_ready = open(table, behaviour_.refuse_table, in_.in_valid && in_.in_last);
    in_.message_ready =
        !hold_messages && !behaviour_.by_core && open(message, behaviour_.refuse_message, out().error_valid);
    in_.error_ready = !hold_errors && open(error, behaviour_.refuse_error, in_.ack_valid);
    if (behaviour_.any_rest) change_the_rest();
    if (soft_reset_at == cycle) in_.soft_reset = true;
    block_->drive(in_);
    if (behaviour_.entries_at_once && out().table_valid && in_.table_ready) {
        in_.entry_valid = true;
        in_.entry = entry_at(out().table_address);
        block_->drive(in_);
    }
    driven_ = in_;
    check_calm();
    check_offers();
    take_dma();
    take_others();
    if (behaviour_.edges_when_quiet && out().quiet) try_quiet();
    block_->edge();
    if (soft_reset_at == cycle) in_.soft_reset = false;
    for (; !flips_.empty(); flips_.pop_back()) block_->flip(flips_.back());
    ++cycle;
}

void rx_bench::count(unsigned place, std::uint32_t from, std::uint32_t to) {
    for (unsigned bit = 0; bit < 32; ++bit) {
        if (((from ^ to) >> bit & 1) != 0) block_->flip({nic_rx::stored_bit::memory::counters, place, bit});
    }
}

nic::receive_counters rx_bench::counters() {
    const auto read = [&](unsigned n) {
        if (behaviour_.by_core) return bus(false, regs::counter.offset + 4 * n);
        return command(regs::command_opcode_read_counter, static_cast<std::uint16_t>(n), {});
    };
    nic::receive_counters c;
    c.accepted = read(0);
    c.mailbox = read(1);
    c.bytes = read(2) | std::uint64_t{read(3)} << 32;
    for (unsigned i = 0; i < nic::drop_reasons; ++i) c.drops[i] = read(4 + i);
    return c;
}

nic::receive_result rx_bench::actions_so_far() const {
    nic::receive_result r;
    std::vector<noted> sorted(log.begin(), log.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const noted& a, const noted& b) { return a.packet < b.packet; });
    for (const noted& n : sorted) r.actions.push_back(n.what);
    return r;
}

nic::receive_result rx_bench::result() {
    nic::receive_result r = actions_so_far();
    r.counters = counters();
    return r;
}

}  // namespace contraflow::testing
