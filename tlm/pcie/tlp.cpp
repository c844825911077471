// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp.h"

#include <bit>
#include <cstring>
#include <utility>

namespace contraflow::pcie {

const char* to_text(credit_class c) {
    switch (c) {
    case credit_class::posted: return "posted";
    case credit_class::non_posted: return "non-posted";
    case credit_class::completion: break;
    }
    return "completion";
}

byte_span span_of(const tlp& request) {
    if (request.length == 0) return {request.address, 0};
    const unsigned last = request.length == dword ? request.first_enables : request.last_enables;
    if (request.first_enables == 0 && last == 0) return {request.address, 0};
    const std::uint32_t begin = request.first_enables != 0
                                    ? static_cast<std::uint32_t>(std::countr_zero(unsigned{request.first_enables}))
                                    : request.length - dword + static_cast<std::uint32_t>(std::countr_zero(last));
    const std::uint32_t end = last != 0 ? request.length - dword + static_cast<std::uint32_t>(std::bit_width(last))
                                        : static_cast<std::uint32_t>(std::bit_width(unsigned{request.first_enables}));
    return {request.address + begin, end - begin};
}

void set_span(tlp& request, std::uint64_t address, std::uint32_t length) {
    const auto lead = static_cast<std::uint32_t>(address % dword);
    request.address = address - lead;
    if (length == 0) {  // one double word, no byte of it enabled
        request.length = dword;
        request.first_enables = request.last_enables = 0;
        return;
    }
    const std::uint32_t end = lead + length;
    request.length = (end + dword - 1) / dword * dword;
    request.first_enables = static_cast<std::uint8_t>(0xfu << lead & 0xfu);
    const auto last = static_cast<std::uint8_t>(0xfu >> (request.length - end));
    if (request.length == dword) {
        request.first_enables &= last;
        request.last_enables = 0;
    } else {
        request.last_enables = last;
    }
}

bool contiguous(const tlp& request) {
    const auto span = span_of(request);
    if (span.length == 0) return true;
    const auto begin = static_cast<std::uint32_t>(span.address - request.address);
    for (std::uint32_t word = begin / dword; word < request.length / dword; ++word)
        for (std::uint32_t b = word * dword; b < (word + 1) * dword; ++b)
            if (b >= begin && b < begin + span.length && !enabled(request, b)) return false;
    return true;
}

tlp* tlp_pool::take(tlp_kind kind) {
    if (free_.empty()) {
        auto c = std::make_unique<chunk>();
        c->payload = std::make_unique<std::uint8_t[]>(chunk_size * max_payload_);
        free_.reserve((chunks_.size() + 1) * chunk_size);
        for (std::size_t i = chunk_size; i-- > 0;) {
            c->packets[i].pool_ = this;
            c->packets[i].room_ = c->payload.get() + i * max_payload_;
            free_.push_back(&c->packets[i]);
        }
        chunks_.push_back(std::move(c));
    }
    tlp* const packet = free_.back();
    free_.pop_back();
    packet->kind = kind;
    packet->relaxed = false;
    packet->status = completion_status::successful;
    packet->first_enables = packet->last_enables = 0xf;
    packet->prefixes = 0;
    packet->hints = 0;
    packet->address = 0;
    packet->data = packet->room_;
    packet->references_ = 1;
    ++in_flight_;
    return packet;
}

void tlp_pool::copy_header(tlp& to, const tlp& from) {
    to.relaxed = from.relaxed;
    to.status = from.status;
    to.form = from.form;
    to.first_enables = from.first_enables;
    to.last_enables = from.last_enables;
    to.lower_address = from.lower_address;
    to.prefixes = from.prefixes;
    to.tag = from.tag;
    to.hints = from.hints;
    to.length = from.length;
    to.requester = from.requester;
    to.completer = from.completer;
    to.byte_count = from.byte_count;
    to.prefix = from.prefix;
    to.address = from.address;
    to.stream = from.stream;
    to.position = from.position;
    to.born = from.born;
    to.attach(from.note_);
}

tlp* tlp_pool::take_piece(tlp& whole, std::uint32_t from, std::uint32_t length) {
    tlp* const piece = take(whole.kind);
    copy_header(*piece, whole);
    piece->length = length;
    piece->position = whole.position + from;
    piece->data = whole.data + from;
    piece->whole_ = &whole;
    whole.retain();
    if (whole.kind == tlp_kind::completion) {
        const std::uint32_t skipped = from == 0 ? 0 : from - whole.lower_address % dword;
        piece->byte_count = whole.byte_count - skipped;
        piece->lower_address = static_cast<std::uint8_t>((whole.lower_address + skipped) & 0x7f);
        return piece;
    }
    piece->address = whole.address + from;
    const bool first = from == 0;
    const bool last = from + length == whole.length;
    if (!first) piece->first_enables = length == dword && last ? whole.last_enables : 0xf;
    if (length == dword)
        piece->last_enables = 0;
    else if (!last)
        piece->last_enables = 0xf;
    return piece;
}

tlp* tlp_pool::copy(const tlp& packet) {
    tlp* const made = take(packet.kind);
    copy_header(*made, packet);
    std::memcpy(made->data, packet.data, packet.payload());
    return made;
}

void tlp_pool::give_back(tlp* packet) {
    if (packet->whole_ != nullptr) {
        packet->whole_->release();
        packet->whole_ = nullptr;
    }
    if (packet->note_ != nullptr) std::exchange(packet->note_, nullptr)->release();
    --in_flight_;
    free_.push_back(packet);
}

}  // namespace contraflow::pcie
