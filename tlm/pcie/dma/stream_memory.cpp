// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/stream_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pcie/dma/endpoint.h"

namespace contraflow::pcie {

void stream_memory::add(std::uint32_t stream, bool destination) {
    const std::uint64_t size = streams_[stream].size.count;
    slot s;
    s.stream = stream;
    s.destination = destination;
    if (destination) {
        s.complete.resize((size + page_bytes - 1) / page_bytes);
        s.open.reserve(16);
        slot_of_.resize(streams_.size());
        slot_of_[stream] = static_cast<std::uint32_t>(slots_.size());
    }
    shift_ = std::max(shift_, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(size, 1) - 1)));
    slots_.push_back(std::move(s));
}

std::uint64_t stream_memory::size() const { return std::bit_ceil(std::max<std::uint64_t>(slots_.size(), 1)) << shift_; }

void stream_memory::place(std::uint64_t base) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        stream& s = streams_[slots_[i].stream];
        (slots_[i].destination ? s.destination : s.source) = base + (std::uint64_t{i} << shift_);
    }
}

const stream_memory::slot* stream_memory::slot_at(std::uint64_t offset) const {
    const std::uint64_t number = offset >> shift_;
    return number < slots_.size() ? &slots_[number] : nullptr;
}

access_result stream_memory::write(std::uint64_t offset, const tlp& packet) {
    const slot* const s = slot_at(offset);
    const byte_span span = span_of(packet);
    const std::uint64_t position = offset & ((std::uint64_t{1} << shift_) - 1);
    if (s == nullptr || !s->destination || position + span.length > streams_[s->stream].size.count)
        return access_result::aborted;
    store(s->stream, position, packet.data + (span.address - packet.address), span.length, packet);
    return access_result::done;
}

access_result stream_memory::request(inbound_request& r, const tlp& packet) {
    const slot* const s = slot_at(r.offset);
    const std::uint64_t position = r.offset & ((std::uint64_t{1} << shift_) - 1);
    if (packet.kind != tlp_kind::memory_read) return access_result::unsupported;
    if (s == nullptr || s->destination || position + r.length > streams_[s->stream].size.count)
        return access_result::aborted;
    return access_result::done;
}

void stream_memory::fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    read(slot_at(r.offset)->stream, (r.offset & ((std::uint64_t{1} << shift_) - 1)) + from, to, length);
}

void stream_memory::read(std::uint32_t stream, std::uint64_t position, std::uint8_t* to, std::uint32_t length) const {
    fill_payload(streams_[stream].key, position, to, length);
}

void stream_memory::store(std::uint32_t stream, std::uint64_t position, const std::uint8_t* from, std::uint32_t length,
                          const tlp& by) {
    slot& s = slots_[slot_of_[stream]];
    for (std::uint32_t done = 0; done < length;) {
        const auto in_page = static_cast<std::uint32_t>((position + done) % page_bytes);
        const std::uint32_t part = std::min(length - done, page_bytes - in_page);
        keep(s, position + done, from + done, part);
        done += part;
    }
    owner_->count(stream, position, length, by);
}

void stream_memory::keep(slot& s, std::uint64_t position, const std::uint8_t* from, std::uint32_t length) {
    stream& about = streams_[s.stream];
    const std::uint64_t number = position / page_bytes;
    const auto begin = static_cast<std::uint32_t>(position % page_bytes);
    if (s.complete[number]) {
        about.wrong += length;
        return;
    }
    page& p = page_of(s, number);
    about.wrong += mark(p, begin, length);
    std::memcpy(p.bytes.data() + begin, from, length);
    const auto whole =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(page_bytes, about.size.count - number * page_bytes));
    if (p.count < whole) return;
    about.wrong += count_wrong(about.key, number * page_bytes, p.bytes.data(), whole);
    s.complete[number] = true;
    s.open.erase(std::find(s.open.begin(), s.open.end(), &p));
    free_.push_back(&p);
}

stream_memory::page& stream_memory::page_of(slot& s, std::uint64_t number) {
    for (page* p : s.open)
        if (p->number == number) return *p;
    if (free_.empty()) {
        free_.push_back(&pages_.emplace_back());
        free_.reserve(pages_.size());
    }
    page& p = *free_.back();
    free_.pop_back();
    p.number = number;
    p.count = 0;
    p.written.fill(0);
    s.open.push_back(&p);
    return p;
}

// The number of bytes that had been written before.
std::uint32_t stream_memory::mark(page& p, std::uint32_t begin, std::uint32_t length) {
    std::uint32_t again = 0;
    for (std::uint32_t at = begin; at < begin + length;) {
        const std::uint32_t bits = std::min(64 - at % 64, begin + length - at);
        const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << at % 64;
        std::uint64_t& word = p.written[at / 64];
        again += static_cast<std::uint32_t>(std::popcount(word & mask));
        word |= mask;
        at += bits;
    }
    p.count += length - again;
    return again;
}

std::uint64_t stream_memory::wrong_in_open_pages() const {
    std::uint64_t wrong = 0;
    for (const slot& s : slots_)
        for (const page* p : s.open)
            for (std::uint32_t i = 0; i < page_bytes; ++i)
                if ((p->written[i / 64] >> i % 64 & 1) != 0)
                    wrong += count_wrong(streams_[s.stream].key, p->number * page_bytes + i, &p->bytes[i], 1);
    return wrong;
}

}  // namespace contraflow::pcie
