// SPDX-License-Identifier: Apache-2.0
// Keeps every TLP sent until the other end has acknowledged it. Finite: a full one holds the sender back.
// Source: PCI Express Base Specification 3.0, 3.5.2.
#pragma once

#include <cstdint>

#include "core/bounded_queue.h"
#include "core/units.h"
#include "pcie/tlp.h"

namespace contraflow::pcie {

class replay_buffer {
public:
    explicit replay_buffer(std::size_t capacity_tlps) : entries_(capacity_tlps) {}
    ~replay_buffer() { acknowledge(next_); }
    replay_buffer(const replay_buffer&) = delete;
    replay_buffer& operator=(const replay_buffer&) = delete;

    bool full() const { return entries_.full(); }
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    // Returns its sequence number.
    std::uint64_t keep(tlp* packet) {
        packet->retain();
        entries_.try_push(packet);
        return next_++;
    }
    // Everything before this sequence number has arrived. True if some of it was not yet acknowledged.
    bool acknowledge(std::uint64_t next) {
        bool news = false;
        while (first_ < next && !entries_.empty()) {
            entries_.pop()->release();
            ++first_;
            news = true;
        }
        return news;
    }
    void reset() {
        acknowledge(next_);
        first_ = next_ = 0;
    }
    std::uint64_t first() const { return first_; }  // oldest not acknowledged
    std::uint64_t next() const { return next_; }    // the next TLP to be sent
    tlp* at(std::uint64_t sequence) const { return entries_[static_cast<std::size_t>(sequence - first_)]; }

private:
    core::bounded_queue<tlp*> entries_;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;
};

}  // namespace contraflow::pcie
