// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/completer.h"

#include <algorithm>
#include <utility>

namespace contraflow::pcie {

completer::completer(core::scheduler& events, tlp_pool& pool, const spec& s) : events_(events), pool_(pool), spec_(s) {}

void completer::add(const address_range& range, region_if& region) {
    if (range.size != 0) claims_.push_back({range, &region});
}

// ---- requests

// A linear search will do: a function has six BARs at most.
const completer::claim* completer::find(std::uint64_t address, std::uint64_t length) const {
    for (const claim& c : claims_)
        if (c.range.holds(address) && length <= c.range.size - (address - c.range.base)) return &c;
    return nullptr;
}

access_result completer::take_write(const tlp& packet) {
    const byte_span span = span_of(packet);
    const claim* const c = find(span.address, span.length);
    const access_result result =
        c == nullptr ? access_result::unsupported : c->region->write(span.address - c->range.base, packet);
    if (result == access_result::unsupported) ++unsupported_;
    if (result == access_result::aborted) ++aborted_;
    return result;
}

void completer::begin(inbound_request& r, const tlp& packet, const byte_span& span) const {
    r.kind = packet.kind;
    r.form = packet.form;
    r.length =
        packet.kind == tlp_kind::atomic && packet.form == atomic_form::compare_and_swap ? span.length / 2 : span.length;
    r.requester = packet.requester;
    r.tag = packet.tag;
    r.relaxed = packet.relaxed;
    r.status = completion_status::successful;
    r.stream = packet.stream;
    r.position = packet.position;
    r.born = packet.born;
    r.low = packet.kind == tlp_kind::atomic ? 0 : static_cast<std::uint8_t>(span.address & 0x7f);
    r.answered = 0;
}

access_result completer::take_request(const tlp& packet, core::sim_time since) {
    if (free_.empty()) free_.push_back(&later_.emplace_back());
    inbound_request& r = *free_.back();
    const byte_span span = span_of(packet);
    begin(r, packet, span);
    r.ready = since;
    r.region = nullptr;
    const claim* const c = find(span.address, r.length);
    access_result result = access_result::unsupported;
    if (c != nullptr) {
        r.region = c->region;
        r.offset = span.address - c->range.base;
        if (packet.note() != nullptr) (r.note = packet.note())->retain();  // kept until the later answer
        result = c->region->request(r, packet);
        if (result != access_result::later) release_note(r);
    }
    switch (result) {
    case access_result::later: free_.pop_back(); return result;
    case access_result::busy: return result;
    case access_result::unsupported:
        ++unsupported_;
        r.status = completion_status::unsupported_request;
        r.region = nullptr;
        break;
    case access_result::aborted:
        ++aborted_;
        r.status = completion_status::completer_abort;
        r.region = nullptr;
        break;
    case access_result::done: break;
    }
    if (ready() == 0) since_ = events_.now();
    at_front_ = r;
    at_front_.note = packet.note();  // the packet holds the reference, and stays
    front_ = &at_front_;
    return access_result::done;
}

void completer::answer(inbound_request& r) {
    if (ready() == 0 && front_ == nullptr) since_ = events_.now();
    if (r.status == completion_status::unsupported_request) ++unsupported_;
    if (r.status == completion_status::completer_abort) ++aborted_;
    ready_.push_back(&r);
}

// ---- completions

const inbound_request* completer::current() const {
    if (ready() != 0) return ready_[ready_front_];
    return front_;
}

// A completion without data, or one that ends at a boundary.
std::uint32_t completer::bytes_of_next(const inbound_request& r) const {
    const std::uint32_t boundary = std::min(spec_.read_completion_boundary, spec_.max_payload);
    const std::uint64_t at = r.kind == tlp_kind::atomic ? r.answered : r.offset + r.answered;
    return std::min<std::uint32_t>(boundary - static_cast<std::uint32_t>(at % boundary), r.length - r.answered);
}

std::optional<std::uint32_t> completer::next() const {
    const inbound_request* const r = current();
    if (r == nullptr) return std::nullopt;
    if (!has_data(*r)) return 0;
    const std::uint32_t lead = (r->low + r->answered) % dword;
    return std::max((lead + bytes_of_next(*r) + dword - 1) / dword, 1u) * dword;
}

completer::made completer::make() {
    const bool at_front = ready() == 0;
    inbound_request& r = at_front ? *front_ : *ready_[ready_front_];
    tlp* const packet = pool_.take(tlp_kind::completion);
    packet->relaxed = r.relaxed;
    packet->status = r.status;
    packet->tag = r.tag;
    packet->requester = r.requester;
    packet->completer = spec_.id;
    packet->stream = r.stream;
    packet->position = r.position + r.answered;
    packet->born = events_.now();
    packet->attach(r.note);
    packet->lower_address = static_cast<std::uint8_t>((r.low + r.answered) & 0x7f);
    bool last = true;
    if (has_data(r)) {
        const std::uint32_t bytes = bytes_of_next(r);
        const std::uint32_t lead = packet->lower_address % dword;
        packet->length = std::max((lead + bytes + dword - 1) / dword, 1u) * dword;
        packet->byte_count = std::max(r.length - r.answered, 1u);
        if (bytes != 0) r.region->fetch(r, r.answered, packet->data + lead, bytes);
        r.answered += bytes;
        last = r.answered == r.length;
    } else {
        packet->length = 0;
        packet->byte_count = dword;
    }
    if (r.region != nullptr) r.region->leaving(r, *packet);
    if (!last) return {packet, false};
    since_ = events_.now();
    if (at_front) {
        front_ = nullptr;
        return {packet, true};
    }
    settled_ = &r;
    if (++ready_front_ == ready_.size()) {
        ready_.clear();
        ready_front_ = 0;
    } else if (2 * ready_front_ > ready_.size()) {
        ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_front_));
        ready_front_ = 0;
    }
    return {packet, false};
}

void completer::settle() {
    if (settled_ == nullptr) return;
    inbound_request& r = *settled_;
    settled_ = nullptr;
    region_if* const region = r.region;
    tlp_note* const note = std::exchange(r.note, nullptr);
    free_.push_back(&r);
    region->answered(r);
    if (note != nullptr) note->release();
}

void completer::release_note(inbound_request& r) {
    if (r.note != nullptr) std::exchange(r.note, nullptr)->release();
}

void completer::reset() {
    front_ = settled_ = nullptr;
    ready_.clear();
    ready_front_ = 0;
    free_.clear();
    for (auto& r : later_) {
        release_note(r);
        free_.push_back(&r);
    }
}

}  // namespace contraflow::pcie
