// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "nic/receive/hardware_lookup.h"

namespace contraflow::nic {
namespace {

// From the edge at which a packet's last word has arrived until its checks are known.
constexpr std::uint64_t check_cycles = 1;
// From retire until a message or a drop shows behind the mailbox or the error ring.
constexpr std::uint64_t mailbox_cycles = 1;

std::uint64_t words_touched(std::uint64_t address, std::uint64_t length) {
    return (address % word_bytes + length + word_bytes - 1) / word_bytes;
}

}  // namespace

std::optional<drop_reason> check_packet(std::span<const std::uint8_t> words, std::uint64_t count,
                                        const packet_header& h, const position& node) {
    if (count < 2 || count > most_words) return drop_reason::framing;
    const std::size_t footer = words.size() - word_bytes;
    if (checksum(words.first(footer)) != core::load_le<std::uint32_t>(words.data() + footer)) return drop_reason::crc;
    if (h.kind > static_cast<std::uint8_t>(packet_kind::get_request) || h.reserved != 0) return drop_reason::header;
    if (h.length == 0 || h.length > most_payload) return drop_reason::length;
    const bool get = h.kind == static_cast<std::uint8_t>(packet_kind::get_request);
    if (get && h.length != get_request_payload) return drop_reason::length;
    if (count != words_of(h.length)) return drop_reason::framing;
    if (h.target != node) return drop_reason::misrouted;
    return {};
}

receive_pipeline::receive_pipeline(const datapath_place& place, std::shared_ptr<receive_lookup_if> lookup)
    : events_(place.events),
      path_(place.path),
      spec_(place.spec),
      node_(place.node),
      cycle_(spec_.clock.time_of({1})),
      client_(place.client),
      packets_(spec_.packets),
      free_words_(static_cast<std::uint32_t>(spec_.packet_buffer.count / word_bytes)),
      lookup_(std::move(lookup)),
      owners_(spec_.writes, nobody),
      records_(spec_.writes),
      rings_(spec_.rings) {
    lookup_->bind(*this);
    for (packet& p : packets_) p.words.reserve(most_words * word_bytes);
    free_tags_.reserve(spec_.writes);
    for (unsigned tag = spec_.writes; tag-- > 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
    add_statistics(statistics_, place, counters_, count_);
    statistics_.emplace_back(place.statistics, path_ + ".held_time", "ps",
                             "time in which a write was ready and could not be sent", held_time_);
    if (place.waves == nullptr) return;
    waves_.sink = place.waves;
    const auto signal = [&](const char* name, unsigned bits) { return waves_.sink->add(path_ + "." + name, bits); };
    waves_.input = signal("input_busy", 1);
    waves_.received = signal("received", 16);
    waves_.checked = signal("checked", 16);
    waves_.looked_up = signal("looked_up", 16);
    waves_.written = signal("written", 16);
    waves_.retired = signal("retired", 16);
    waves_.room = signal("buffer_words", 32);
    waves_.tags = signal("tags", 16);
    waves_.channel = signal("waits_for.channel", 1);
    waves_.tag = signal("waits_for.tag", 1);
    waves_.in_flight = signal("waits_for.packets_in_flight", 1);
    waves_.ring = signal("waits_for.ring", 1);
    waves_.core = signal("waits_for.core", 1);
}

void receive_pipeline::show() {
    if (waves_.sink == nullptr) return;
    const core::sim_time now = events_.now();
    const auto set = [&](observe::signal_id signal, std::uint64_t value) { waves_.sink->set(signal, now, value); };
    set(waves_.input, input_.armed() ? 1 : 0);
    set(waves_.received, received_);
    set(waves_.checked, checked_);
    set(waves_.looked_up, translated_);
    set(waves_.written, sent_);
    set(waves_.retired, retired_);
    set(waves_.room, spec_.packet_buffer.count / word_bytes - free_words_);
    set(waves_.tags, tags_in_use());
    set(waves_.channel, held_ == hold::channel ? 1 : 0);
    set(waves_.tag, held_ == hold::tag ? 1 : 0);
    set(waves_.in_flight, held_ == hold::in_flight ? 1 : 0);
    set(waves_.ring, held_ == hold::ring ? 1 : 0);
    set(waves_.core, message_waits_ ? 1 : 0);
}

std::unique_ptr<receive_datapath_if> make_hardware_datapath(const datapath_place& place) {
    return std::make_unique<receive_pipeline>(
        place, std::make_unique<hardware_lookup>(place.events, place.path, place.spec, place.statistics));
}

// --- input and check ------------------------------------------------------------------------------------------------

bool receive_pipeline::can_receive() {
    if (!paused_ && !input_.armed() && free_words_ >= most_words && received_ - retired_ < packets_.size()) return true;
    source_waits_ = true;
    return false;
}

void receive_pipeline::receive(std::span<const std::uint8_t> words, core::sim_time ago) {
    packet& p = at(received_++);
    p.count = words.size() / word_bytes;
    const auto kept = words.first(std::min<std::size_t>(words.size(), most_words * word_bytes));
    p.words.assign(kept.begin(), kept.end());
    p.dropped.reset();
    p.offset = p.unacknowledged = 0;
    p.room = most_words;
    free_words_ -= most_words;
    count_.words += p.count;
    const core::sim_time first = std::max(events_.now() - ago, input_free_);
    input_free_ = std::max(edge(), next_edge(first, cycle_) + cycles(std::max<std::uint64_t>(p.count, 1)));
    input_.arm(input_free_);
}

void receive_pipeline::input_ended() {
    check_.arm(events_.now() + cycles(check_cycles));
    tell_source();
    show();
}

void receive_pipeline::tell_source() {
    if (!source_waits_) return;
    source_waits_ = false;
    if (can_receive()) client_.may_receive();
}

void receive_pipeline::give_room(packet& p, std::uint32_t words) {
    p.room -= words;
    free_words_ += words;
    tell_source();
}

void receive_pipeline::check_next() {
    const std::uint64_t number = checked_++;
    packet& p = at(number);
    p.header = {};
    if (!p.words.empty())
        p.header = packet_header::decode(std::span<const std::uint8_t, word_bytes>(p.words.data(), word_bytes));
    p.dropped = check_packet(p.words, p.count, p.header, node_);
    give_room(p, p.put() ? most_words - static_cast<std::uint32_t>(p.count) : most_words);
    lookup_->look_up({number, p.put(), p.header});
    show();
}

// --- look-up --------------------------------------------------------------------------------------------------------

void receive_pipeline::refused(std::uint64_t number) {
    packet& p = at(number);
    if (p.room != 0) give_room(p, p.room);
}

void receive_pipeline::looked_up(const lookup_result& r) {
    packet& p = at(translated_++);
    if (r.dropped) p.dropped = r.dropped;
    p.space = r.space;
    p.ring = r.ring;
    p.pages = r.pages;
    if (p.dropped && p.room != 0) give_room(p, p.room);
    kick_dma();
    show();
}

// --- write ----------------------------------------------------------------------------------------------------------

void receive_pipeline::dma_ready() {
    if (held_ == hold::channel) kick_dma();
}

void receive_pipeline::acknowledged(std::uint16_t tag) {
    const std::uint64_t number = std::exchange(owners_.at(tag), nobody);
    free_tags_.push_back(tag);
    ++count_.acknowledged;
    if (number >= retired_) --at(number).unacknowledged;
    retire();
    if (held_ == hold::tag) kick_dma();
    if (fence_) tell_invalidated();
    show();
}

void receive_pipeline::kick_dma() { dma_.arm_by(std::max(edge(), channel_free_)); }

void receive_pipeline::dma_step() {
    if (held_ != hold::none) {
        held_time_ += (events_.now() - held_since_).ps;
        held_ = hold::none;
    }
    // Completions go first: data waits for packets to retire. A write that has begun is not given up.
    if (writing_ ? hand_over() : begin_completion() || begin_data()) kick_dma();
    show();
}

// It has its tag from its first beat on.
void receive_pipeline::begin_write(const dma_request& r, std::uint64_t beats) {
    free_tags_.pop_back();
    owners_[r.tag] = r.packet;
    writing_ = r;
    channel_free_ = events_.now() + cycles(beats - 1);
    if (beats == 1) hand_over();
}

// The last beat of the write. False: it is held back; dma_ready() calls again.
bool receive_pipeline::hand_over() {
    const dma_request r = *writing_;
    if (!client_.take_dma(r)) {
        held_ = hold::channel;
        held_since_ = events_.now();
        return false;
    }
    writing_.reset();
    channel_free_ = events_.now() + cycle_;
    ++count_.writes;
    packet& p = at(r.packet);
    switch (r.kind) {
    case dma_kind::window:
        windows_[gpu_of(r.space)] = {r.address, r.token};
        ++count_.windows;
        ++p.unacknowledged;
        break;
    case dma_kind::completion:
        rings_.at(p.ring).advance();
        ++count_.completions;
        end_of(p);
        break;
    case dma_kind::data:
        ++p.unacknowledged;
        p.offset += static_cast<std::uint32_t>(r.bytes.size());
        if (p.offset != p.header.length) break;
        pass(p);
        give_room(p, p.room);
        break;
    }
    return true;
}

// The packet leaves the write stage.
void receive_pipeline::pass(packet& p) {
    ++sent_;
    p.sent = events_.now();
    retire();
}

// Begins the next write of the current packet. False: there is none, or it is held back.
bool receive_pipeline::begin_data() {
    if (held_ != hold::none || sent_ == translated_) return false;
    packet& p = at(sent_);
    if (!p.put()) {
        channel_free_ = std::max(channel_free_, events_.now() + cycles(pass_cycles));
        pass(p);
        return true;
    }
    const auto wait = [this](hold why) {
        held_ = why;
        held_since_ = events_.now();
        return false;
    };
    // A packet that ends in this cycle leaves its place with the next one.
    const bool ends_now = events_.now() < retire_free_;
    if (p.offset == 0 && sent_ - retired_ + (ends_now ? 1 : 0) >= spec_.packets_in_flight) {
        if (ends_now) dma_.arm_by(retire_free_);
        return wait(hold::in_flight);
    }
    if (free_tags_.empty()) return wait(hold::tag);

    const memory_space space = p.space;
    const unsigned bits = page_bits(space);
    const std::uint64_t address = p.header.address + p.offset;
    const page_entry& page = p.pages[(address >> bits) - (p.header.address >> bits)];
    dma_request r;
    r.space = space;
    r.tag = free_tags_.back();
    r.packet = sent_;
    r.token = page.token;
    if (of_gpu(space) && windows_[gpu_of(space)] != page) {
        r.kind = dma_kind::window;
        r.address = page.page;
        begin_write(r, 1);
    } else {
        r.address = page.page | (address & ((1ull << bits) - 1));
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            p.header.length - p.offset, spec_.max_payload - (address & (spec_.max_payload - 1))));
        r.bytes = {p.words.data() + word_bytes + p.offset, length};
        begin_write(r, words_touched(address, length));
    }
    return held_ == hold::none;
}

// The completion of the oldest packet, when all its writes are acknowledged.
bool receive_pipeline::begin_completion() {
    if (retired_ == sent_) return false;
    packet& p = at(retired_);
    if (!p.put() || !p.header.notify || p.unacknowledged != 0 || events_.now() < may_retire(p)) return false;
    const completion_ring& to = rings_.at(p.ring);
    const bool full = to.full();
    if (full || free_tags_.empty()) {
        // Data writes go on meanwhile: they need no completion, and free tags.
        if (free_tags_.empty() || sent_ == translated_) {
            held_ = full ? hold::ring : hold::tag;
            held_since_ = events_.now();
        }
        return false;
    }
    const std::uint16_t tag = free_tags_.back();
    completion_record{to.sequence(), p.header.process, p.header.tag, p.header.source, p.header.length, p.header.address}
        .encode(records_[tag]);
    dma_request r;
    r.kind = dma_kind::completion;
    r.address = to.address();
    r.bytes = records_[tag];
    r.tag = tag;
    r.packet = retired_;
    begin_write(r, completion_record::size / word_bytes);
    return true;
}

// --- retire ---------------------------------------------------------------------------------------------------------

// Ends the oldest packet, if it may; one a cycle.
void receive_pipeline::retire() {
    if (retired_ == sent_) return;
    packet& p = at(retired_);
    if (p.put() && p.unacknowledged != 0) return;
    const core::sim_time from = std::max(edge(), may_retire(p));
    if (events_.now() < from) return retire_.arm_by(from);
    if (p.put() && p.header.notify) return kick_dma();
    if (p.message()) {
        if (mailbox_) return;
        mailbox_ = {p.header, {}, retired_};
        std::copy_n(p.words.begin() + word_bytes, mailbox_->payload.size(), mailbox_->payload.begin());
        ++counters_.mailbox;
        message_.arm(from + cycles(mailbox_cycles));
    } else if (p.dropped) {
        if (error_) show_error();  // it is due in this cycle
        error_ = {*p.dropped, p.header, retired_};
        ++counters_.drops[static_cast<unsigned>(*p.dropped)];
        error_shown_.arm(from + cycles(mailbox_cycles));
    }
    end_of(p);
}

void receive_pipeline::end_of(packet& p) {
    if (p.put()) {
        ++counters_.accepted;
        counters_.bytes += p.header.length;
    }
    ++retired_;
    retire_free_ = events_.now() + cycle_;
    if (held_ == hold::in_flight) dma_.arm_by(std::max(retire_free_, channel_free_));
    if (fence_) tell_invalidated();
    tell_source();
    retire();
}

void receive_pipeline::offer_message() {
    if (!client_.take_message(*mailbox_)) {
        if (!message_waits_) message_since_ = events_.now();
        message_waits_ = true;
    } else {
        message_waits_ = false;
        mailbox_.reset();
        retire();
    }
    show();
}

void receive_pipeline::show_error() {
    error_shown_.cancel();
    const packet_drop d = *std::exchange(error_, {});
    client_.dropped(d);
    if (waves_.sink != nullptr) waves_.sink->event("first_drop", events_.now());
}

void receive_pipeline::message_ready() {
    if (message_waits_) offer_message();
}

void receive_pipeline::set_ring(unsigned number, const ring_place& place) {
    rings_.at(number) = {place};
    rings_[number].place.base &= ~std::uint64_t{completion_record::size - 1};
    kick_dma();
}

void receive_pipeline::set_consumed(unsigned number, std::uint32_t count) {
    rings_.at(number).read = count;
    kick_dma();
}

// --- invalidation, control ------------------------------------------------------------------------------------------

void receive_pipeline::invalidate(std::uint64_t root) {
    fence_ = nobody;
    lookup_->invalidate(root);
}

void receive_pipeline::invalidated_from(std::uint64_t number) {
    fence_ = number;
    tell_invalidated();
}

// A completion is written after all data of its packet, so the writes of retired packets are in memory.
void receive_pipeline::tell_invalidated() {
    if (!fence_ || retired_ < *fence_) return;
    fence_.reset();
    client_.invalidated();
}

bool receive_pipeline::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain: paused_ = true; return true;
    case core::control_verb::enable:
        paused_ = false;
        tell_source();
        return true;
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate:
        lookup_->clear();
        windows_.fill({});
        return true;
    case core::control_verb::flush: return false;
    }
    return false;
}

// All packets inside are dropped; buffers and rings must be set up anew.
void receive_pipeline::reset() {
    input_.cancel();
    check_.cancel();
    dma_.cancel();
    retire_.cancel();
    message_.cancel();
    error_shown_.cancel();
    writing_.reset();
    mailbox_.reset();
    error_.reset();
    received_ = checked_ = translated_ = sent_ = retired_ = 0;
    channel_free_ = input_free_ = retire_free_ = {};
    free_words_ = static_cast<std::uint32_t>(spec_.packet_buffer.count / word_bytes);
    source_waits_ = paused_ = message_waits_ = false;
    std::fill(rings_.begin(), rings_.end(), completion_ring{});
    windows_.fill({});
    std::fill(owners_.begin(), owners_.end(), nobody);
    free_tags_.clear();
    for (unsigned tag = spec_.writes; tag-- > 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
    held_ = hold::none;
    fence_.reset();
    counters_ = {};
    count_ = {};
    held_time_ = 0;
    lookup_->reset();
}

void receive_pipeline::check(observe::conservation& checks) const {
    check_counts(checks, path_, received_, counters_, count_);
}

void receive_pipeline::report_waits(std::vector<core::wait_edge>& edges) const {
    lookup_->report_waits(edges);
    if (message_waits_) edges.push_back({path_, "room in the mailbox of the core", path_ + ".mailbox", message_since_});
    // Packets in flight wait for the oldest one, which may wait for room in its ring.
    const auto oldest_waits_for_ring = [this] {
        if (retired_ == sent_) return false;
        const packet& p = at(retired_);
        return p.put() && p.header.notify && p.unacknowledged == 0 && rings_.at(p.ring).full();
    };
    switch (held_ == hold::in_flight && oldest_waits_for_ring() ? hold::ring : held_) {
    case hold::none: break;
    case hold::channel: edges.push_back({path_, "its write to be taken", path_ + ".dma", held_since_}); break;
    case hold::tag:
    case hold::in_flight: edges.push_back({path_, "writes to be acknowledged", path_ + ".dma", held_since_}); break;
    case hold::ring:
        edges.push_back({path_, fmt::format("room in completion ring {}", at(retired_).ring), "host", held_since_});
        break;
    }
}

}  // namespace contraflow::nic
