// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/requester.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

tlp_kind kind_of(operation_kind k) {
    switch (k) {
    case operation_kind::write: return tlp_kind::memory_write;
    case operation_kind::confirmed_write: return tlp_kind::deferrable_write;
    case operation_kind::read: return tlp_kind::memory_read;
    case operation_kind::atomic: break;
    }
    return tlp_kind::atomic;
}

}  // namespace

requester::requester(core::scheduler& events, tlp_pool& pool, const spec& s, requester_user_if& user,
                     const core::callback& timed_out)
    : events_(events),
      pool_(pool),
      spec_(s),
      user_(user),
      timed_out_(timed_out),
      records_(s.tags) {
    for (const std::uint32_t size : {s.max_payload, s.max_read_request})
        if (!std::has_single_bit(size) || size < dword || size > boundary_4k)
            throw std::invalid_argument("pcie::requester: a maximum payload or read request is a power of two of 4 KiB "
                                        "at most, or its TLPs would cross 4 KiB");
    reset();
}

void requester::reset() {
    lines_ = {};
    settled_ = nullptr;
    waiting_ = 0;
    for (const record& r : records_)
        if (r.note != nullptr) r.note->release();
    records_.assign(spec_.tags, {});
    free_tags_.clear();
    for (std::uint32_t tag = spec_.tags; tag-- > 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
    oldest_ = youngest_ = no_tag;
    quarantined_ = 0;
    starved_before_ = 0;
    timeout_.cancel();
}

void requester::start(operation& o) {
    if (o.kind == operation_kind::atomic && o.form != atomic_form::vendor_defined) {
        const std::uint64_t operand = o.form == atomic_form::compare_and_swap ? o.length / 2 : o.length;
        if ((operand != 4 && operand != 8) || o.address % operand != 0)
            throw std::logic_error(fmt::format("{}: malformed TLP: an AtomicOp of {} bytes at {:#x}", to_text(spec_.id),
                                               operand, o.address));
    }
    o.status = completion_status::successful;
    o.timed_out = o.all_issued_ = false;
    o.issued_ = 0;
    o.under_way_ = 0;
    o.next_ = nullptr;
    ++waiting_;
    o.order_ = started_++;
    line& l = lines_[answered(o.kind) ? non_posted : posted];
    if (l.last != nullptr) {
        l.last->next_ = &o;
        l.last = &o;
    } else {
        l.first = l.last = &o;
        find_part(l);
    }
    if (starved()) arm_timer();
}

// ---- sending

std::uint32_t requester::longest_part(operation_kind kind) const {
    if (kind == operation_kind::read) return spec_.max_read_request;
    return kind == operation_kind::confirmed_write ? std::min(spec_.max_payload, longest_deferrable_write)
                                                   : spec_.max_payload;
}

// No TLP of a write or read passes the next multiple of its largest size, so none crosses 4 KiB either.
void requester::find_part(line& l) const {
    const operation& o = *l.first;
    part_of_operation& part = l.next;
    part = {};
    part.offset = o.issued_;
    if (o.kind == operation_kind::atomic && o.form != atomic_form::vendor_defined) {
        part.length = static_cast<std::uint32_t>(o.length);
        part.final = true;
        return;
    }
    const std::uint64_t step = longest_part(o.kind);
    const std::uint64_t limit = std::min(o.length, o.issued_ + step - (o.address + o.issued_) % step);
    if (o.enables != nullptr && o.length != 0) return find_enabled_part(l, limit);
    part.length = static_cast<std::uint32_t>(limit - o.issued_);
    part.after = limit;
    part.final = limit == o.length;
}

// Byte enables may have gaps only in a request of one double word, or of two that are an aligned quad word (2.2.5); at
// other gaps a new TLP begins. There is an enabled byte from issued_ on.
void requester::find_enabled_part(line& l, std::uint64_t limit) const {
    const operation& o = *l.first;
    part_of_operation& part = l.next;
    std::uint64_t begin = o.issued_;
    while (begin < o.length && o.enables[begin] == 0) ++begin;
    if (begin >= o.length) {  // no byte is enabled: a write of no bytes
        part = {0, 0, 0, 0, false, o.length, true};
        return;
    }
    const std::uint64_t step = longest_part(o.kind);
    if (begin >= limit) limit = std::min(o.length, begin + step - (o.address + begin) % step);
    std::uint64_t end = begin;
    while (end < limit && o.enables[end] != 0) ++end;
    const std::uint64_t word = (o.address + begin) / dword * dword;  // address of the double word
    const auto mask_of = [&](std::uint64_t at) {
        unsigned mask = 0;
        for (unsigned b = 0; b < dword; ++b)
            if (at + b >= o.address + begin && at + b < o.address + limit && o.enables[at + b - o.address] != 0)
                mask |= 1u << b;
        return static_cast<std::uint8_t>(mask);
    };
    const unsigned first = mask_of(word), second = mask_of(word + dword);
    const bool pair = word % (2 * dword) == 0 && second != 0;
    if (o.address + end > word + (pair ? 2 * dword : dword)) {
        part.offset = begin;
        part.length = static_cast<std::uint32_t>(end - begin);
        part.after = end;
    } else {
        part.gaps = true;
        part.first = static_cast<std::uint8_t>(first);
        part.last = static_cast<std::uint8_t>(pair ? second : 0);
        part.offset = begin;
        const std::uint64_t room_end = word + (pair ? 2 * dword : dword);
        std::uint64_t stop = std::min(limit, room_end - o.address);
        part.after = stop;
        while (o.enables[stop - 1] == 0) --stop;
        part.length = static_cast<std::uint32_t>(stop - begin);
    }
    std::uint64_t left = part.after;
    while (left < o.length && o.enables[left] == 0) ++left;
    part.final = left == o.length;
}

bool requester::lacks_tag() const {
    const operation* const o = lines_[non_posted].first;
    return o != nullptr && (free_tags_.empty() || (o->limit != nullptr && o->limit->under_way == o->limit->most));
}

std::optional<requester::demand> requester::next(bool urgent) const {
    const std::size_t which = urgent ? posted : oldest_line();
    const line& l = lines_[which];
    if (l.first == nullptr || (which == non_posted && lacks_tag())) return std::nullopt;
    const operation& o = *l.first;
    if (o.kind == operation_kind::read) return demand{credit_class::non_posted, 0};
    const auto lead = static_cast<std::uint32_t>((o.address + l.next.offset) % dword);
    const std::uint32_t words = std::max((lead + l.next.length + dword - 1) / dword, 1u);
    return demand{which == posted ? credit_class::posted : credit_class::non_posted, words * dword};
}

tlp* requester::make(bool urgent) {
    line& l = lines_[urgent ? posted : oldest_line()];
    operation& o = *l.first;
    const part_of_operation part = l.next;
    tlp* const packet = pool_.take(kind_of(o.kind));
    const std::uint64_t address = o.address + part.offset;
    set_span(*packet, address, part.length);
    if (part.gaps) {
        packet->first_enables = part.first;
        packet->last_enables = packet->length == dword ? 0 : part.last;
    }
    packet->requester = spec_.id;
    packet->relaxed = spec_.relaxed && answered(o.kind);
    packet->tag = 0;
    packet->form = o.form;
    packet->hints = o.hints;
    packet->prefixes = o.prefixes;
    packet->prefix = o.prefix;
    packet->stream = o.stream;
    packet->position = part.offset;
    packet->born = events_.now();
    if (o.kind != operation_kind::read && part.length != 0) {
        std::uint8_t* const to = packet->data + (address - packet->address);
        if (o.buffer != nullptr)
            std::memcpy(to, o.buffer + part.offset, part.length);
        else
            user_of(o).fetch(o, part.offset, to, part.length);
    }
    user_of(o).leaving(o, part.offset, *packet);
    if (answered(o.kind)) {
        const std::uint16_t tag = packet->tag = free_tags_.back();
        free_tags_.pop_back();
        const bool data_comes = o.kind == operation_kind::read || o.kind == operation_kind::atomic;
        record& r = records_[tag];
        r.of = &o;
        r.begin = r.next = part.offset;
        const bool halves = o.kind == operation_kind::atomic && o.form == atomic_form::compare_and_swap;
        r.end = part.offset + (data_comes ? (halves ? part.length / 2 : part.length) : 0);
        r.low = o.kind == operation_kind::atomic ? 0 : static_cast<std::uint8_t>(address & 0x7f);
        r.note = packet->note();
        if (r.note != nullptr) r.note->retain();
        r.since = events_.now();
        r.older = youngest_;
        r.younger = no_tag;
        (youngest_ == no_tag ? oldest_ : records_[youngest_].younger) = tag;
        youngest_ = tag;
        ++o.under_way_;
        if (o.limit != nullptr) ++o.limit->under_way;
        arm_timer();
    }
    if (!part.final) {
        o.issued_ = part.after;
        find_part(l);
        return packet;
    }
    o.issued_ = o.length;
    o.all_issued_ = true;
    l.first = o.next_;
    if (l.first == nullptr) l.last = nullptr;
    --waiting_;
    if (l.first != nullptr) find_part(l);
    settled_ = &o;
    return packet;
}

void requester::settle() {
    if (settled_ == nullptr) return;
    operation& o = *settled_;
    settled_ = nullptr;
    const bool posted = !answered(o.kind);
    user_of(o).issued(o);
    if (posted) user_of(o).finished(o);
}

// ---- completions

requester::verdict requester::take(const tlp& c, core::sim_time ready) {
    if (c.tag >= records_.size() || c.requester != spec_.id) return verdict::unexpected;
    record& r = records_[c.tag];
    if (r.of == nullptr) return r.quarantined ? take_late(c) : verdict::unexpected;
    operation& o = *r.of;
    const bool successful = c.status == completion_status::successful;
    if ((c.length != 0) != (successful && o.kind != operation_kind::confirmed_write)) return verdict::unexpected;
    if (!successful) {  // it ends the request, whatever has arrived before
        if (!user_of(o).may_complete(o)) return verdict::refused;
        if (o.status == completion_status::successful) o.status = c.status;
        tlp_note* const note = r.note;
        close(c.tag);
        end_of_tlp(o, note, true, ready);
        return verdict::taken;
    }
    const std::uint64_t left = r.end - r.next;
    std::uint32_t bytes = 0;
    if (left != 0) {
        const std::uint32_t lead = c.lower_address % dword;
        if (c.length <= lead || c.length >= lead + left + dword || c.byte_count != left ||
            c.lower_address != ((r.low + (r.next - r.begin)) & 0x7f))
            return verdict::unexpected;
        bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, c.length - lead));
        if (bytes == left && !user_of(o).may_complete(o)) return verdict::refused;
        if (o.buffer != nullptr)
            std::memcpy(o.buffer + r.next, c.data + lead, bytes);
        else
            user_of(o).store(o, r.next, c.data + lead, bytes, c);
        r.next += bytes;
        if (bytes != left) return verdict::taken;
    } else if (!user_of(o).may_complete(o)) {
        return verdict::refused;
    }
    tlp_note* const note = r.note;
    close(c.tag);
    end_of_tlp(o, note, true, ready);
    return verdict::taken;
}

// The bytes have no user any more; the tag is free again when no further completion can come.
requester::verdict requester::take_late(const tlp& c) {
    const bool last = c.length == 0 || c.lower_address % dword + c.byte_count <= c.length;
    if (!last) return verdict::late;
    records_[c.tag] = {};
    --quarantined_;
    free_tags_.push_back(c.tag);
    return verdict::late;
}

// Frees the tag.
void requester::close(std::uint16_t tag) {
    record& r = records_[tag];
    (r.older == no_tag ? oldest_ : records_[r.older].younger) = r.younger;
    (r.younger == no_tag ? youngest_ : records_[r.younger].older) = r.older;
    --r.of->under_way_;
    if (r.of->limit != nullptr) --r.of->limit->under_way;
    r = {};
    free_tags_.push_back(tag);
}

void requester::end_of_tlp(operation& o, tlp_note* note, bool in_time, core::sim_time at) {
    user_of(o).completed(o, in_time ? note : nullptr, at);
    if (note != nullptr) note->release();
    if (o.all_issued_ && o.under_way_ == 0) user_of(o).finished(o);
}

core::sim_time requester::oldest_since() const {
    return oldest_ == no_tag ? quarantined_since_ : records_[oldest_].since;
}

void requester::report_open_requests(std::vector<open_request>& requests) const {
    for (std::uint16_t tag = oldest_; tag != no_tag; tag = records_[tag].younger)
        requests.push_back({records_[tag].of->address + records_[tag].begin, records_[tag].since});
}

// ---- what is never answered

void requester::arm_timer() {
    if (spec_.completion_timeout.ps == 0 || timeout_.armed()) return;
    if (oldest_ != no_tag) {
        timeout_.arm(std::max(events_.now(), records_[oldest_].since + spec_.completion_timeout));
    } else if (starved()) {
        starved_before_ = started_;
        timeout_.arm(events_.now() + spec_.completion_timeout);
    }
}

void requester::quarantine(std::uint16_t tag) {
    close(tag);
    free_tags_.pop_back();
    records_[tag].quarantined = true;
    ++quarantined_;
    quarantined_since_ = events_.now();
}

void requester::check_timeouts() {
    if (spec_.completion_timeout.ps == 0) return;
    if (!starved()) starved_before_ = 0;
    while (oldest_ != no_tag && records_[oldest_].since + spec_.completion_timeout <= events_.now()) {
        const std::uint16_t tag = oldest_;
        operation& o = *records_[tag].of;
        if (!user_of(o).may_complete(o)) break;  // resume() tries again
        tlp_note* const note = records_[tag].note;
        o.timed_out = true;
        quarantine(tag);
        timed_out_();
        end_of_tlp(o, note, false, events_.now());
    }
    give_up_unsent();
    if (oldest_ == no_tag || records_[oldest_].since + spec_.completion_timeout > events_.now()) arm_timer();
}

void requester::give_up_unsent() {
    line& l = lines_[non_posted];
    while (starved() && l.first->order_ < starved_before_) {
        operation& o = *l.first;
        if (!user_of(o).may_complete(o)) return;  // resume() tries again
        l.first = o.next_;
        if (l.first == nullptr)
            l.last = nullptr;
        else
            find_part(l);
        --waiting_;
        o.all_issued_ = o.timed_out = true;
        user_of(o).issued(o);
        user_of(o).finished(o);
    }
    starved_before_ = 0;
}

}  // namespace contraflow::pcie
