// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/receive_lockstep.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace contraflow::nic_levels {

// --- the NIC that a level sees --------------------------------------------------------------------------------------

receive_lockstep::level::level(receive_lockstep& owner, const named_factory& f, const nic::datapath_place& place,
                               bool is_first)
    : name(f.name),
      first(is_first),
      owner_(owner),
      calls_(place.events, *this),
      rings_(place.spec.rings) {
    datapath = f.make({place.events, is_first ? place.path : place.path + "_" + f.name, place.spec, place.node, *this,
                       place.tables, is_first ? place.statistics : owner.own_statistics_, place.waves,
                       is_first ? place.core : nullptr});
}

void receive_lockstep::level::set_ring(unsigned number, const nic::ring_place& place) {
    rings_.at(number) = {place, 0};
    datapath->set_ring(number, place);
}

void receive_lockstep::level::reset() {
    calls_.cancel();
    rings_.assign(rings_.size(), {});
}

unsigned receive_lockstep::level::ring_at(std::uint64_t address) const {
    for (unsigned i = 0; i < rings_.size(); ++i)
        if (address - rings_[i].place.base < std::uint64_t{rings_[i].place.entries} * nic::completion_record::size)
            return i;
    return static_cast<unsigned>(rings_.size());
}

bool receive_lockstep::level::take_dma(const nic::dma_request& r) {
    if (first && !owner_.client_.take_dma(r)) return false;
    switch (r.kind) {
    case nic::dma_kind::window: owner_.add(*this, r.packet, nic::window_move{r.space, {r.address, r.token}}); break;
    case nic::dma_kind::data:
        owner_.add(*this, r.packet, nic::data_write{r.space, r.address, {r.bytes.begin(), r.bytes.end()}});
        break;
    case nic::dma_kind::completion: {
        const auto c = nic::completion_record::decode(
            std::span<const std::uint8_t, nic::completion_record::size>(r.bytes.data(), r.bytes.size()));
        const unsigned ring = ring_at(r.address);
        owner_.add(*this, r.packet, nic::completion_event{ring, c.process, c.tag, c.source, c.address, c.length});
        if (!first && ring < rings_.size()) calls_.after<&level::empty_ring>(acknowledge_latency, ring);
        break;
    }
    }
    if (!first) calls_.after<&level::acknowledge>(acknowledge_latency, r.tag);
    return true;
}

bool receive_lockstep::level::take_message(const nic::core_message& m) {
    if (first && !owner_.client_.take_message(m)) return false;
    owner_.add(
        *this, m.packet,
        nic::mailbox_message{
            m.header.process, m.header.tag, m.header.source, m.header.address, {m.payload.begin(), m.payload.end()}});
    return true;
}

void receive_lockstep::level::read_table(std::uint64_t address) {
    if (first) return owner_.client_.read_table(address);
    read_ = owner_.tables_.entry(address);
    calls_.after<&level::answer_table>(table_latency);
}

void receive_lockstep::level::dropped(const nic::packet_drop& d) {
    if (first) owner_.client_.dropped(d);
    owner_.add(*this, d.packet, nic::drop_action{d.reason, d.header.process, d.header.tag, d.header.source});
}

// --- both levels ----------------------------------------------------------------------------------------------------

receive_lockstep::receive_lockstep(const nic::datapath_place& place, const named_factory& first,
                                   const named_factory& second, level_difference& difference)
    : events_(place.events),
      client_(place.client),
      tables_(place.tables),
      node_(place.node),
      max_payload_(place.spec.max_payload),
      difference_(difference),
      waves_(place.waves),
      first_(*this, first, place, true),
      second_(*this, second, place, false) {}

bool receive_lockstep::can_receive() {
    const bool first = first_.datapath->can_receive(), second = second_.datapath->can_receive();
    return first && second;
}

// Packets this old have left both levels.
constexpr std::uint64_t most_in_flight = 1024;

void receive_lockstep::receive(std::span<const std::uint8_t> words, core::sim_time ago) {
    if (packets_.size() == most_in_flight) packets_.pop_front();
    packets_.emplace_back(words.begin(), words.end());
    ++received_;
    first_.datapath->receive(words, ago);
    second_.datapath->receive(words, ago);
}

void receive_lockstep::level_may_receive() {
    if (can_receive()) client_.may_receive();
}

void receive_lockstep::set_buffer(unsigned index, const nic::buffer_entry& b) {
    buffers_[index] = b;
    first_.datapath->set_buffer(index, b);
    second_.datapath->set_buffer(index, b);
}

void receive_lockstep::set_ring(unsigned ring, const nic::ring_place& place) {
    first_.set_ring(ring, place);
    second_.set_ring(ring, place);
}

void receive_lockstep::invalidate(std::uint64_t root) {
    invalidated_ = 0;
    first_.datapath->invalidate(root);
    second_.datapath->invalidate(root);
}

void receive_lockstep::level_invalidated() {
    if (++invalidated_ == 2) client_.invalidated();
}

bool receive_lockstep::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        leads_.clear();
        buffers_.clear();
        packets_.clear();
        received_ = 0;
        second_.reset();
        first_.reset();
    }
    const bool first = first_.datapath->control(verb), second = second_.datapath->control(verb);
    return first && second;
}

void receive_lockstep::report_waits(std::vector<core::wait_edge>& edges) const {
    first_.datapath->report_waits(edges);
    second_.datapath->report_waits(edges);
}

// --- the comparison -------------------------------------------------------------------------------------------------

void receive_lockstep::add(const level& by, std::uint64_t packet, nic::action what) {
    if (!difference_.text.empty()) return;
    drop_before(packet);
    lead& ahead = leads_[packet];
    if (ahead.actions.empty() || ahead.of_first == by.first) {
        ahead.of_first = by.first;
        ahead.actions.push_back({std::move(what), events_.now()});
        return;
    }
    const done_action other = std::move(ahead.actions.front());
    ahead.actions.pop_front();
    if (other.what != what) {
        const done_action own{std::move(what), events_.now()};
        const auto text = [](const level& l, const done_action& a) {
            return fmt::format("{} {} at {}", l.name, nic::to_json(a.what), core::rounded_text(a.at));
        };
        return differ(packet, fmt::format("packet {}, action {}: {}, {}", packet, ahead.compared,
                                          text(first_, by.first ? own : other), text(second_, by.first ? other : own)));
    }
    ++ahead.compared;
}

// An action that only one level has done for packets that have left both will not follow in the other.
void receive_lockstep::drop_before(std::uint64_t packet) {
    while (!leads_.empty() && leads_.begin()->first + most_in_flight < packet) {
        const auto& [number, ahead] = *leads_.begin();
        if (!ahead.actions.empty()) differ(number, missing(number, ahead));
        leads_.erase(leads_.begin());
    }
}

std::string receive_lockstep::missing(std::uint64_t packet, const lead& ahead) const {
    const auto& [done, lacking] = ahead.of_first ? std::tie(first_, second_) : std::tie(second_, first_);
    return fmt::format("packet {}, action {}: {} {} at {}, {} nothing", packet, ahead.compared, done.name,
                       nic::to_json(ahead.actions.front().what), core::rounded_text(ahead.actions.front().at),
                       lacking.name);
}

void receive_lockstep::differ(std::uint64_t packet, std::string text) {
    if (!difference_.text.empty()) return;
    difference_.text = std::move(text);
    if (waves_ != nullptr) {
        waves_->event(level_difference::event, events_.now());
        end_.arm_after(level_difference::watched_after);
    } else {
        end();
    }
    if (packet < received_ && received_ - packet <= packets_.size()) difference_.alone = alone(packet);
}

nic::receive_case receive_lockstep::alone(std::uint64_t packet) const {
    nic::receive_case c;
    c.name = fmt::format("packet {}", packet);
    c.node = node_;
    c.max_payload = max_payload_;
    c.packets = {packets_[packets_.size() - (received_ - packet)]};
    c.buffers.assign(buffers_.begin(), buffers_.end());
    if (c.packets[0].size() < nic::word_bytes) return c;
    const auto header = nic::packet_header::decode(
        std::span<const std::uint8_t, nic::word_bytes>(c.packets[0].data(), nic::word_bytes));
    std::map<std::uint64_t, std::uint64_t> entries;
    for (const auto& [index, b] : buffers_) {
        if (!b.valid || b.process != header.process || !b.holds(header.address)) continue;
        const unsigned bits = nic::page_bits(b.space);
        const std::uint64_t last = (header.address + std::max<std::uint64_t>(header.length, 1) - 1) >> bits;
        for (std::uint64_t page = header.address >> bits; page <= last; ++page) {
            std::uint64_t table = b.root;
            for (unsigned level = 0; level < nic::table_levels; ++level) {
                const std::uint64_t at = nic::entry_address(b.space, table, page, level), entry = tables_.entry(at);
                entries[at] = entry;
                if ((entry & nic::table_valid) == 0) break;
                table = nic::next_table(entry);
            }
        }
    }
    c.tables.assign(entries.begin(), entries.end());
    return c;
}

void receive_lockstep::check(observe::conservation& checks) const {
    first_.datapath->check(checks);
    second_.datapath->check(checks);
    for (const auto& [packet, ahead] : leads_)
        if (!ahead.actions.empty()) checks.check(missing(packet, ahead), "actions", ahead.actions.size(), 0);
    const nic::receive_counters &a = first_.datapath->counters(), &b = second_.datapath->counters();
    const auto compare = [&](std::string_view counter, std::uint64_t x, std::uint64_t y) {
        checks.check(fmt::format("counter {} of {} and of {}", counter, first_.name, second_.name), "packets", x, y);
    };
    compare("accepted", a.accepted, b.accepted);
    compare("mailbox", a.mailbox, b.mailbox);
    compare("bytes", a.bytes, b.bytes);
    for (unsigned i = 0; i < nic::drop_reasons; ++i) compare(nic::drop_names[i], a.drops[i], b.drops[i]);
}

}  // namespace contraflow::nic_levels
