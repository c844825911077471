// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma_engine.h"

#include <algorithm>

namespace contraflow::pcie {

dma_engine::dma_engine(core::scheduler& events, tlp_pool& pool, const spec& s, std::uint32_t self,
                       stream_table& streams)
    : events_(events),
      pool_(pool),
      spec_(s),
      self_(self),
      streams_(streams),
      reads_(s.tags) {
    reset();
}

void dma_engine::reset() {
    queue_.clear();
    position_ = 0;
    current_ = false;
    outstanding_ = 0;
    reads_.assign(spec_.tags, {});
    free_tags_.clear();
    for (std::uint32_t tag = spec_.tags; tag-- > 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
}

std::optional<core::sim_time> dma_engine::next_start() const {
    if (current_ || held_ || position_ == queue_.size()) return std::nullopt;
    return streams_[queue_[position_]].start;
}

std::optional<std::uint32_t> dma_engine::current() const {
    if (position_ == queue_.size()) return std::nullopt;
    return queue_[position_];
}

std::optional<dma_engine::demand> dma_engine::next() const {
    if (position_ == queue_.size()) return std::nullopt;
    const stream& s = streams_[queue_[position_]];
    if (!current_ && (held_ || s.start > events_.now())) return std::nullopt;
    const std::uint64_t left = s.size.count - s.issued;
    if (left == 0) return std::nullopt;  // pull: everything is asked for, completions are under way
    if (spec_.mode == transfer_mode::push)
        return demand{credit_class::posted,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(left, spec_.max_payload))};
    if (free_tags_.empty()) return std::nullopt;
    return demand{credit_class::non_posted, 0};
}

tlp* dma_engine::make() {
    stream& s = streams_[queue_[position_]];
    if (!current_) {
        current_ = true;
        s.begun = events_.now();
    }
    const bool push = spec_.mode == transfer_mode::push;
    tlp* const packet = pool_.take(push ? tlp_kind::memory_write : tlp_kind::memory_read);
    const std::uint32_t most = push ? spec_.max_payload : spec_.max_read_request;
    packet->length = static_cast<std::uint32_t>(std::min<std::uint64_t>(s.size.count - s.issued, most));
    packet->requester = self_;
    packet->target = push ? s.to : s.from;
    packet->stream = queue_[position_];
    packet->address = s.issued;
    packet->tag = 0;
    packet->born = events_.now();
    s.issued += packet->length;
    if (push) {
        fill_payload(s.key, packet->address, packet->data, packet->length);
        if (s.issued == s.size.count) finish();
    } else {
        packet->tag = free_tags_.back();
        free_tags_.pop_back();
        reads_[packet->tag] = {packet->address, packet->address + packet->length};
        ++outstanding_;
    }
    return packet;
}

bool dma_engine::complete(const tlp& packet) {
    if (packet.tag >= reads_.size()) return false;
    read& r = reads_[packet.tag];
    if (r.next == r.end || packet.address != r.next || packet.address + packet.length > r.end) return false;
    r.next += packet.length;
    if (r.next == r.end) {
        free_tags_.push_back(packet.tag);
        --outstanding_;
        const stream& s = streams_[packet.stream];
        if (outstanding_ == 0 && s.issued == s.size.count) finish();
    }
    return true;
}

void dma_engine::finish() {
    current_ = false;
    ++position_;
}

}  // namespace contraflow::pcie
