// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/rtl_datapath.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/receive_lookup_if.h"
#include "nic_levels/nic_core.h"

namespace contraflow::nic_levels {
namespace {

namespace regs = nic::nic_rx_registers;

constexpr unsigned errors = 16;  // drops in the block's error ring, whose packets have ended

struct built_sizes {
    nic_rx::build build;
    nic::receive_spec spec;
    std::uint32_t mailbox;  // get requests
};

// The parameters of tb/nic_rx/CMakeLists.txt. A packet buffer of the RTL holds the payload of as many packets of the
// longest kind as `packet_buffer` holds with their headers and footers.
const std::array<built_sizes, 2>& built() {
    static const std::array<built_sizes, 2> all = [] {
        nic::receive_spec least;
        least.packet_buffer = {2 * nic::most_words * nic::word_bytes};
        least.packets = least.writes = 2;
        least.packets_in_flight = least.host_tlb = least.gpu_tlb = least.search_rate = 1;
        return std::array{built_sizes{nic_rx::build::plain, {}, 8}, built_sizes{nic_rx::build::smallest, least, 2}};
    }();
    return all;
}

// The first size in which `s` differs from what was built.
std::optional<config::problem> difference(const nic::receive_spec& s, const nic::receive_spec& has) {
    const auto number = [](std::uint32_t n) { return fmt::format("{}", n); };
    const auto other = [](const char* key, const std::string& value, const std::string& allowed) {
        return config::problem{fmt::format("{} is {}, and the RTL is built for {}", key, value, allowed),
                               {{key, allowed}}};
    };
    if (s.packet_buffer != has.packet_buffer)
        return other("packet_buffer", core::to_text(s.packet_buffer), core::to_text(has.packet_buffer));
    if (s.packets != has.packets) return other("packets", number(s.packets), number(has.packets));
    if (s.buffers != has.buffers) return other("buffers", number(s.buffers), number(has.buffers));
    if (s.search_rate != has.search_rate) return other("search_rate", number(s.search_rate), number(has.search_rate));
    if (s.host_tlb != has.host_tlb) return other("host_tlb", number(s.host_tlb), number(has.host_tlb));
    if (s.gpu_tlb != has.gpu_tlb) return other("gpu_tlb", number(s.gpu_tlb), number(has.gpu_tlb));
    if (s.writes != has.writes) return other("writes", number(s.writes), number(has.writes));
    if (s.packets_in_flight != has.packets_in_flight)
        return other("packets_in_flight", number(s.packets_in_flight), number(has.packets_in_flight));
    if (s.rings > rtl_rings) return other("rings", number(s.rings), fmt::format("{} at most", rtl_rings));
    return {};
}

const built_sizes& built_for(const nic::datapath_place& place) {
    for (const built_sizes& b : built())
        if (!difference(place.spec, b.spec)) return b;
    throw std::invalid_argument(place.path + ": " + rtl_problem_of(place.spec)->message);
}

}  // namespace

std::optional<config::problem> rtl_problem_of(const nic::receive_spec& s) {
    for (const built_sizes& b : built())
        if (!difference(s, b.spec)) return {};
    return difference(s, built().front().spec);
}

rtl_datapath::rtl_datapath(const nic::datapath_place& place, std::shared_ptr<nic_core> core, rtl_recordings* recordings)
    : rtl_datapath(
          place, [&] { return nic_rx::make_nic_rx_block(built_for(place).build); }, std::move(core), recordings) {}

rtl_datapath::rtl_datapath(const nic::datapath_place& place, const rtl_factory& make, std::shared_ptr<nic_core> core,
                           rtl_recordings* recordings)
    : events_(place.events),
      path_(place.path),
      cycle_(place.spec.clock.time_of({1})),
      max_payload_(place.spec.max_payload),
      client_(place.client),
      block_(make()),
      core_(std::move(core)),
      recorded_(place.waves == nullptr || recordings == nullptr
                    ? nullptr
                    : recordings->emplace_back(
                          std::make_shared<nic_rx::rx_recording>(path_, built_for(place).build, cycle_))),
      mailbox_(built_for(place).mailbox),
      bytes_(place.spec.writes),
      taken_(place.spec.writes),
      headers_(place.spec.packets + errors) {
    for (auto& b : bytes_) b.reserve(nic::most_payload);
    in_.node = static_cast<std::uint16_t>(nic::bits_of(place.node));
    in_.max_payload = static_cast<std::uint8_t>(std::countr_zero(place.spec.max_payload / 64));
    in_.by_core = core_ != nullptr;
    if (core_ != nullptr) core_->serve(*this);
    in_.rst_n = false;
    for (unsigned i = 0; i < 2; ++i) {
        block_->drive(in_);
        record(0);
        block_->edge();
    }
    in_.rst_n = true;
    clear();
    nic::add_statistics(statistics_, place, counters_, count_);
    statistics_.emplace_back(place.statistics, path_ + ".clocked", "cycles",
                             "cycles in which the RTL was clocked; others change nothing", clocked_);
    if (place.waves == nullptr) return;
    waves_.sink = place.waves;
    const auto signal = [&](const char* name, unsigned bits) { return waves_.sink->add(path_ + "." + name, bits); };
    waves_.in_valid = signal("in_valid", 1);
    waves_.in_ready = signal("in_ready", 1);
    waves_.dma_valid = signal("dma_valid", 1);
    waves_.dma_ready = signal("dma_ready", 1);
    waves_.dma_kind = signal("dma_kind", 2);
    waves_.dma_tag = signal("dma_tag", 8);
    waves_.unacknowledged = signal("unacknowledged", 16);
    waves_.table_valid = signal("table_valid", 1);
    waves_.reading = signal("reading", 1);
    waves_.message_valid = signal("message_valid", 1);
    waves_.error_valid = signal("error_valid", 1);
    waves_.command_valid = signal("command_valid", 1);
    waves_.idle = signal("idle", 1);
    if (core_ == nullptr) return;
    waves_.irq = signal("irq", 1);
    waves_.bus_access = signal("bus_access", 1);
    waves_.bus_write = signal("bus_write", 1);
    waves_.bus_offset = signal("bus_offset", 13);
    waves_.task_valid = signal("task_valid", 1);
}

// The ports at the beginning of a cycle, and writes and reads that are not answered.
void rtl_datapath::show() {
    if (waves_.sink == nullptr) return;
    const core::sim_time now = events_.now();
    const auto set = [&](observe::signal_id signal, std::uint64_t value) { waves_.sink->set(signal, now, value); };
    const nic_rx::outputs& o = out();
    set(waves_.in_valid, in_.in_valid ? 1 : 0);
    set(waves_.in_ready, o.in_ready ? 1 : 0);
    set(waves_.dma_valid, o.dma_valid ? 1 : 0);
    set(waves_.dma_ready, in_.dma_ready ? 1 : 0);
    set(waves_.dma_kind, o.dma_kind);
    set(waves_.dma_tag, o.dma_tag);
    set(waves_.unacknowledged, unacknowledged_.size());
    set(waves_.table_valid, o.table_valid ? 1 : 0);
    set(waves_.reading, reading_ ? 1 : 0);
    set(waves_.message_valid, o.message_valid ? 1 : 0);
    set(waves_.error_valid, o.error_valid ? 1 : 0);
    set(waves_.command_valid, in_.command_valid ? 1 : 0);
    set(waves_.idle, o.idle ? 1 : 0);
    if (core_ == nullptr) return;
    set(waves_.irq, o.irq ? 1 : 0);
    set(waves_.task_valid, o.task_valid ? 1 : 0);
    set(waves_.bus_access, in_.psel ? 1 : 0);
    set(waves_.bus_write, in_.psel && in_.pwrite ? 1 : 0);
    if (in_.psel) set(waves_.bus_offset, in_.paddr);
}

void rtl_datapath::record(std::int64_t cycle) {
    if (recorded_) recorded_->add(static_cast<std::uint64_t>(cycle), in_);
}

// --- the clock ------------------------------------------------------------------------------------------------------

core::sim_time rtl_datapath::edge() const { return nic::next_edge(events_.now(), cycle_); }

// An input comes: the block is clocked up to now, and at the next edge.
void rtl_datapath::wake() {
    if (stopped_) return step_.arm_by(edge());
    catch_up();
    step_.arm_by(core::sim_time{static_cast<std::uint64_t>(shown_ + 1) * cycle_.ps});
}

// The edge between two cycles, and the ports in the second one.
void rtl_datapath::step() {
    if (std::exchange(stopped_, false))
        shown_ = cycle_of(events_.now()) - 1;  // the edges since then have changed nothing
    catch_up();
    end_cycle();
    begin_cycle();
    if (changes_nothing())
        stopped_ = true;
    else
        step_.arm_after(cycle_ * (1 + silent_cycles()));
}

// The cycles without an event that have been left out. The last one before now has begun.
void rtl_datapath::catch_up() {
    if (!stopped_) pass_to(cycle_of(edge()) - 1);
}

// Cycles without an event, until the block shows that one.
void rtl_datapath::pass_to(std::int64_t cycle) {
    catches_up_ = true;
    while (shown_ < cycle) {
        if (stream(cycle - shown_)) continue;
        end_cycle();
        begin_cycle();
    }
    catches_up_ = false;
}

// Words that enter and beats that leave, clocked together: what end_cycle() and begin_cycle() would do with them.
bool rtl_datapath::stream(std::int64_t cycles) {
    if (core_ != nullptr || waves_.sink != nullptr || null_ || !commands_.empty()) return false;
    std::span<const std::uint8_t> words;
    if (in_.in_valid) words = std::span(packet_).subspan((word_ + 1) * nic::word_bytes);
    const unsigned edges = block_->stream(static_cast<unsigned>(cycles), in_, words, bytes_.at(out().dma_tag));
    shown_ += edges;
    clocked_ += edges;
    if (in_.in_valid) word_ += edges;
    check_silence();
    return edges != 0;
}

void rtl_datapath::check_silence() const {
    const nic_rx::outputs& o = out();
    if (o.table_valid || o.error_valid || (o.message_valid && in_.message_ready) ||
        (o.dma_valid && in_.dma_ready && o.dma_last))
        throw std::logic_error(path_ + ": an event in a cycle that was taken to have none");
}

// How many of the next cycles have no event at a port if no input comes: words of a packet enter and beats of a write
// are taken, but not the last of either.
unsigned rtl_datapath::silent_cycles() const {
    const nic_rx::outputs& o = out();
    if (core_ != nullptr || !o.calm || o.table_valid || o.error_valid || o.message_valid || in_.command_valid ||
        waves_.sink != nullptr || !acknowledged_.empty() || entry_ || !consumed_.empty())
        return 0;
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t words = none, beats = none;
    if (in_.in_valid)
        words = null_ ? 1 : packet_.size() / nic::word_bytes - word_;
    else if (source_waits_)
        return 0;
    if (o.dma_valid && in_.dma_ready) beats = beats_left();
    const std::size_t last = std::min(words, beats);
    return last == none || last == 0 ? 0 : static_cast<unsigned>(last - 1);
}

// Beats of the write under way after the one shown: of a put, a piece ends at a multiple of max_payload or with the
// packet.
std::size_t rtl_datapath::beats_left() const {
    const nic_rx::outputs& o = out();
    if (o.dma_last) return 0;
    std::size_t size = nic::completion_record::size;
    if (o.dma_kind == static_cast<unsigned>(nic::dma_kind::data)) {
        const nic::packet_header& h = headers_[number_of(o.dma_packet) % headers_.size()];
        constexpr std::uint64_t page = 4096;  // physical and virtual address agree within it, and no payload is longer
        const std::size_t offset = (o.dma_address - h.address) % page;
        size = std::min<std::size_t>(h.length - offset, max_payload_ - o.dma_address % max_payload_);
    }
    return (size - bytes_.at(o.dma_tag).size() + nic::word_bytes - 1) / nic::word_bytes;
}

// The block is quiet, and no valid is high at its ports that would be taken. A command that an edge has seen waits.
bool rtl_datapath::changes_nothing() {
    const nic_rx::outputs& o = out();
    if (!o.quiet || in_.in_valid || o.table_valid || o.error_valid || (o.dma_valid && in_.dma_ready) ||
        (o.message_valid && in_.message_ready) || !acknowledged_.empty() || entry_ || !consumed_.empty() || access_ ||
        (o.task_valid && in_.task_ready))
        return false;
    if (!in_.command_valid) return true;
    if (!command_seen_) return false;
    block_->drive(in_);
    return !out().command_ready;
}

// What the ports show happens now. Ready is given before valid is known, and taken back where the client refuses.
void rtl_datapath::begin_cycle() {
    in_.ack_valid = in_.entry_valid = in_.consumed_valid = false;
    offer_word();
    offer_command();
    offer_access();
    in_.dma_ready = !write_held_;
    in_.message_ready = core_ == nullptr && !message_held_;
    in_.task_ready = false;
    in_.table_ready = in_.error_ready = true;
    if (catches_up_) check_silence();
    take_error();
    take_read();
    take_write();
    core_ == nullptr ? take_message() : take_task();
    call_for_packet();
    tell_core();
    show();
}

void rtl_datapath::end_cycle() {
    if (!catches_up_) set_late_inputs();
    const bool word = in_.in_valid && out().in_ready;
    const bool bus = in_.psel;
    if (in_.command_valid || bus) block_->drive(in_);
    const bool done = in_.command_valid && out().command_ready, accessed = bus && out().pready;
    const std::uint32_t answer = out().command_answer, read = out().prdata;
    const bool known = !out().pslverr, resetting = out().resetting;
    if (accessed) note_access();
    record(shown_ + 1);
    block_->clock(in_, expected());
    ++shown_;
    ++clocked_;
    command_seen_ = in_.command_valid && !done && !resetting;  // none is seen in a reset
    if (word) {
        ++word_;
        if (in_.in_last) {
            packet_.clear();
            null_ = in_.in_valid = false;
            word_ = 0;
        }
    }
    if (done) command_done(answer);
    if (!accessed) return;
    access_.reset();
    in_.psel = in_.penable = false;
    core_->access_ended(read, known);
}

// The inputs of the next cycle, if the client takes what it is shown and nothing comes.
nic_rx::inputs rtl_datapath::expected() const {
    nic_rx::inputs next = in_;
    if (in_.in_valid && out().in_ready) {
        if (in_.in_last)
            next.in_valid = false;
        else
            set_word(next, word_ + 1);
    }
    next.dma_ready = !write_held_;
    next.ack_valid = !acknowledged_.empty();
    if (next.ack_valid) next.ack_tag = static_cast<std::uint8_t>(acknowledged_.front());
    next.entry_valid = next.consumed_valid = next.psel = next.penable = false;
    return next;
}

// What has come since the cycle began.
void rtl_datapath::set_late_inputs() {
    // A write is under way from the edge on at which its last beat is taken.
    if (!acknowledged_.empty() && taken_.at(acknowledged_.front()) != shown_) {
        in_.ack_valid = true;
        in_.ack_tag = static_cast<std::uint8_t>(acknowledged_.front());
        acknowledged_.pop_front();
    }
    if (entry_) {
        in_.entry_valid = true;
        in_.entry = *entry_;
        entry_.reset();
    }
    if (!consumed_.empty()) {
        in_.consumed_valid = true;
        in_.consumed_ring = static_cast<std::uint8_t>(consumed_.front().first);
        in_.consumed_count = consumed_.front().second;
        consumed_.pop_front();
    }
}

// --- packets --------------------------------------------------------------------------------------------------------

bool rtl_datapath::can_receive() {
    catch_up();
    if (source_may_begin()) return true;
    source_waits_ = true;
    return false;
}

void rtl_datapath::receive(std::span<const std::uint8_t> words, core::sim_time ago) {
    catch_up();
    packet_.assign(words.begin(), words.end());
    null_ = words.empty();
    word_ = 0;
    nic::packet_header header;
    if (!null_) header = nic::packet_header::decode(words.first<nic::word_bytes>());
    headers_[received_++ % headers_.size()] = header;
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(words.size() / nic::word_bytes, 1));
    count_.words += words.size() / nic::word_bytes;
    if (!stopped_) return wake();
    const std::int64_t now = cycle_of(edge());
    const std::int64_t first = cycle_of(nic::next_edge(events_.now() - std::min(ago, events_.now()), cycle_));
    const std::int64_t begin = std::max(std::max(now, first + count) - count, shown_ + 1);
    step_.arm(edge());
    if (begin >= now) return;
    stopped_ = false;
    shown_ = begin;
    catches_up_ = true;
    begin_cycle();
    pass_to(now - 1);
}

void rtl_datapath::offer_word() {
    in_.in_valid = !packet_.empty() || null_;
    if (!in_.in_valid) return;
    in_.in_null = null_;
    set_word(in_, word_);
}

void rtl_datapath::set_word(nic_rx::word_inputs& in, std::size_t word) const {
    in.in_last = (word + 1) * nic::word_bytes >= packet_.size();
    if (!null_) std::copy_n(packet_.data() + word * nic::word_bytes, nic::word_bytes, in.in_data.begin());
}

void rtl_datapath::call_for_packet() {
    if (!source_waits_ || !source_may_begin()) return;
    source_waits_ = false;
    client_.may_receive();
    offer_word();
}

// --- what it does ---------------------------------------------------------------------------------------------------

// The whole number of a packet of which the block shows 16 bits.
std::uint64_t rtl_datapath::number_of(std::uint16_t shown) const {
    const std::uint64_t last = received_ - 1;
    return last - ((last - shown) & 0xffff);
}

void rtl_datapath::take_write() {
    const nic_rx::outputs& o = out();
    if (!o.dma_valid || !in_.dma_ready) return;
    auto& bytes = bytes_.at(o.dma_tag);
    const std::size_t before = bytes.size();
    bytes.resize(before + nic_rx::word_bytes);
    bytes.resize(before + nic_rx::nic_rx_block::add_beat(bytes.data() + before, o.dma_data.data(), o.dma_strobe));
    if (!o.dma_last) return;
    nic::dma_request r;
    r.kind = static_cast<nic::dma_kind>(o.dma_kind);
    r.space = static_cast<nic::memory_space>(o.dma_space);
    r.address = o.dma_address;
    r.token = o.dma_token;
    r.bytes = bytes;
    r.tag = o.dma_tag;
    r.packet = number_of(o.dma_packet);
    if (!client_.take_dma(r)) {
        bytes.resize(before);
        write_held_ = true;
        write_since_ = events_.now();
        in_.dma_ready = false;
        return;
    }
    if (unacknowledged_.empty()) acknowledged_since_ = events_.now();
    unacknowledged_.push_back(r.tag);
    taken_.at(r.tag) = shown_;
    ++count_.writes;
    if (r.kind == nic::dma_kind::window) ++count_.windows;
    if (r.kind == nic::dma_kind::completion) ++count_.completions;
}

void rtl_datapath::dma_ready() {
    catch_up();
    write_held_ = false;
    wake();
}

void rtl_datapath::acknowledged(std::uint16_t tag) {
    const auto at = std::find(unacknowledged_.begin(), unacknowledged_.end(), tag);
    if (at == unacknowledged_.end())
        throw std::logic_error(fmt::format("{}: write {} is acknowledged, and not under way", path_, tag));
    unacknowledged_.erase(at);
    acknowledged_since_ = events_.now();
    bytes_.at(tag).clear();
    ++count_.acknowledged;
    acknowledged_.push_back(tag);
    wake();
}

void rtl_datapath::take_message() {
    const nic_rx::outputs& o = out();
    if (!o.message_valid || !in_.message_ready) return;
    nic::core_message m;
    m.header = nic::packet_header::decode(o.message_words[0]);
    m.payload = o.message_words[1];
    m.packet = number_of(o.message_packet);
    if (client_.take_message(m)) return;
    message_held_ = true;
    message_since_ = events_.now();
    in_.message_ready = false;
}

// --- the core -------------------------------------------------------------------------------------------------------

void rtl_datapath::begin_access(const register_access& a) {
    catch_up();
    access_ = a;
    wake();
}

// The cycle before is that of the bus's set-up.
void rtl_datapath::offer_access() {
    if (!access_ || catches_up_) return;
    in_.psel = in_.penable = true;
    in_.pwrite = access_->write;
    in_.paddr = static_cast<std::uint16_t>(access_->offset);
    in_.pwdata = access_->word;
}

// In the cycle in which it is taken.
void rtl_datapath::note_access() {
    if (!access_->write) return;
    if (access_->offset == regs::message_take.offset && out().message_valid) {
        task_packet_ = number_of(out().message_packet);
        message_taken_ = true;
    }
}

std::optional<std::uint32_t> rtl_datapath::look(std::uint32_t offset) const {
    nic_rx::inputs in = in_;
    in.psel = in.penable = true;
    in.pwrite = false;
    in.paddr = static_cast<std::uint16_t>(offset);
    block_->drive(in);
    const auto word = out().pslverr ? std::nullopt : std::optional(out().prdata);
    block_->drive(in_);
    return word;
}

void rtl_datapath::set_transmit_interrupt(bool on) {
    if (in_.transmit_irq == on) return;
    catch_up();
    in_.transmit_irq = on;
    wake();
}

void rtl_datapath::tell_core() {
    if (core_ == nullptr || catches_up_) return;
    core_->show_requests(out().irq, out().irq ? look(regs::irq_status.offset).value_or(0) : 0);
}

// A get request that the core has handed on.
void rtl_datapath::take_task() {
    const nic_rx::outputs& o = out();
    if (!o.task_valid || message_held_) return;
    nic::core_message m;
    m.header = nic::packet_header::decode(o.task_words[0]);
    m.payload = o.task_words[1];
    m.packet = task_packet_;
    if (core_->task_waits() || !client_.take_message(m)) {
        message_held_ = true;
        message_since_ = events_.now();
        return;
    }
    in_.task_ready = true;
    message_taken_ = false;
}

void rtl_datapath::message_ready() {
    catch_up();
    message_held_ = false;
    wake();
}

// The port has process, tag and source; the rest of the header is as it came.
void rtl_datapath::take_error() {
    const nic_rx::outputs& o = out();
    if (!o.error_valid) return;
    nic::packet_drop d;
    d.packet = number_of(o.error_packet);
    d.reason = static_cast<nic::drop_reason>(o.error_reason);
    d.header = headers_[d.packet % headers_.size()];
    d.header.process = o.error_process;
    d.header.tag = o.error_tag;
    d.header.source = nic::position_of(o.error_source);
    client_.dropped(d);
    if (waves_.sink != nullptr) waves_.sink->event("first_drop", events_.now());
}

void rtl_datapath::take_read() {
    if (!out().table_valid) return;
    reading_ = true;
    read_since_ = events_.now();
    client_.read_table(out().table_address);
}

void rtl_datapath::table_entry(std::uint64_t value) {
    reading_ = false;
    entry_ = value;
    wake();
}

// --- the driver -----------------------------------------------------------------------------------------------------

void rtl_datapath::start(const driver_command& c) {
    catch_up();
    commands_.push_back(c);
    wake();
}

void rtl_datapath::offer_command() {
    in_.command_valid = !commands_.empty();
    if (commands_.empty()) return;
    in_.command_opcode = commands_.front().opcode;
    in_.command_index = commands_.front().index;
    in_.command_data = commands_.front().data;
}

// `answer`: of the cycle before the edge.
void rtl_datapath::command_done(std::uint32_t answer) {
    const driver_command c = commands_.front();
    commands_.pop_front();
    in_.command_valid = false;
    if (c.opcode == regs::command_opcode_read_counter) return client_.counter_read(answer);
    if (answer != 0)
        throw std::logic_error(fmt::format("{}: the RTL refuses command {} for {}", path_, c.opcode, c.index));
    if (c.opcode == regs::command_opcode_invalidate) client_.invalidated();
}

void rtl_datapath::set_buffer(unsigned index, const nic::buffer_entry& b) {
    start({regs::command_opcode_set_buffer, static_cast<std::uint16_t>(index), nic::encode(b)});
}

void rtl_datapath::set_ring(unsigned ring, const nic::ring_place& place) {
    start({regs::command_opcode_set_ring,
           static_cast<std::uint16_t>(ring),
           {static_cast<std::uint32_t>(place.base), static_cast<std::uint32_t>(place.base >> 32), place.entries}});
}

void rtl_datapath::set_consumed(unsigned ring, std::uint32_t count) {
    consumed_.emplace_back(ring, count);
    wake();
}

void rtl_datapath::invalidate(std::uint64_t root) {
    start({regs::command_opcode_invalidate,
           0,
           {static_cast<std::uint32_t>(root), static_cast<std::uint32_t>(root >> 32)}});
}

void rtl_datapath::read_counter(unsigned number) {
    start({regs::command_opcode_read_counter, static_cast<std::uint16_t>(number), {}});
}

// From its registers, without an edge.
const nic::receive_counters& rtl_datapath::counters() const {
    std::array<std::uint64_t, regs::counter_registers> words{};
    for (unsigned i = 0; i < words.size(); ++i) words[i] = look(regs::counter.offset + 4 * i).value_or(0);
    counters_.accepted = words[0];
    counters_.mailbox = words[1];
    counters_.bytes = words[2] | words[3] << 32;
    std::copy_n(words.begin() + 4, nic::drop_reasons, counters_.drops.begin());
    return counters_;
}

// --- control --------------------------------------------------------------------------------------------------------

// A message or a drop may still be on its way to its port while the block says that nothing is inside.
bool rtl_datapath::idle() const {
    const nic_rx::outputs& o = out();
    return stopped_ && packet_.empty() && !null_ && commands_.empty() && acknowledged_.empty() && !entry_ && o.idle &&
           !o.message_valid && !o.error_valid && !message_taken_ && !o.task_valid &&
           (core_ == nullptr || core_->idle());
}

bool rtl_datapath::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain: paused_ = true; return true;
    case core::control_verb::enable:
        paused_ = false;
        wake();
        return true;
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate: start({regs::command_opcode_invalidate_all, 0, {}}); return true;
    case core::control_verb::flush: return false;
    }
    return false;
}

void rtl_datapath::reset() {
    catch_up();
    constexpr unsigned patience = 10'000;  // cycles
    bool cut = word_ != 0;
    in_.command_valid = in_.in_valid = in_.consumed_valid = in_.task_ready = in_.psel = in_.penable = false;
    in_.in_data.fill(0);
    in_.in_null = false;
    in_.in_last = true;
    in_.dma_ready = in_.table_ready = in_.message_ready = in_.error_ready = true;
    in_.soft_reset = true;
    for (const std::uint16_t tag : acknowledged_) unacknowledged_.push_back(tag);
    for (unsigned i = 0; i == 0 || out().resetting; ++i) {
        if (i == patience) throw std::logic_error(path_ + ": the RTL's reset does not end");
        in_.in_valid = cut;
        in_.ack_valid = !unacknowledged_.empty();
        if (in_.ack_valid) {
            in_.ack_tag = static_cast<std::uint8_t>(unacknowledged_.back());
            unacknowledged_.pop_back();
        }
        in_.entry_valid = std::exchange(reading_, false) || entry_;
        entry_.reset();
        block_->drive(in_);
        if (cut && out().in_ready) cut = false;
        if (out().dma_valid && out().dma_last) unacknowledged_.push_back(out().dma_tag);
        if (out().table_valid) reading_ = true;
        record(cycle_of(events_.now()));
        block_->edge();
        in_.soft_reset = false;
        in_.in_valid = in_.ack_valid = in_.entry_valid = false;
        block_->drive(in_);
    }
    clear();
    if (core_ == nullptr) return;
    core_->reset();
    start({regs::command_opcode_reset, 0, {}});
}

void rtl_datapath::clear() {
    step_.cancel();
    stopped_ = true;
    shown_ = cycle_of(edge()) - 1;
    command_seen_ = false;
    packet_.clear();
    null_ = paused_ = source_waits_ = write_held_ = message_held_ = reading_ = message_taken_ = false;
    word_ = 0;
    received_ = 0;
    acknowledged_.clear();
    unacknowledged_.clear();
    entry_.reset();
    consumed_.clear();
    commands_.clear();
    for (auto& b : bytes_) b.clear();
    counters_ = {};
    count_ = {};
    block_->drive(in_);
    begin_cycle();
    wake();  // registers that a reset leaves to the next edges
}

void rtl_datapath::check(observe::conservation& checks) const {
    nic::check_counts(checks, path_, received_, counters(), count_);
}

void rtl_datapath::report_waits(std::vector<core::wait_edge>& edges) const {
    if (core_ != nullptr && (!out().idle || !commands_.empty())) core_->report_waits(edges);
    if (reading_) edges.push_back({path_, "an entry of a page table", path_ + ".tables", read_since_});
    if (message_held_) edges.push_back({path_, "room in the mailbox of the core", path_ + ".mailbox", message_since_});
    if (write_held_)
        edges.push_back({path_, "its write to be taken", path_ + ".dma", write_since_});
    else if (!unacknowledged_.empty())
        edges.push_back({path_, "writes to be acknowledged", path_ + ".dma", acknowledged_since_});
    else if (stopped_ && !idle() && !reading_ && !message_held_)
        edges.push_back({path_, "room in a completion ring", "host", acknowledged_since_});
}

}  // namespace contraflow::nic_levels
