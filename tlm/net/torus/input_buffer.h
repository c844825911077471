// SPDX-License-Identifier: Apache-2.0
// Packets that wait at a node: arrivals of a link's virtual channel, or the node's own packets for one of its links.
// The first packet requests its output when its header is there and the previous packet has left: one callback per
// packet. A packet may leave while it still arrives.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "core/timer.h"
#include "net/torus/flight.h"

namespace contraflow::net {

class torus_link;
class torus_node;

// The fields that each packet touches are in two lines of the host's cache.
class alignas(64) input_buffer {
public:
    // `feeder`: the link that fills it on that channel and has credits for it; null: the node's own packets.
    // `path` must outlive it.
    input_buffer(core::scheduler& events, torus_node& owner, const std::string& path, torus_link* feeder,
                 unsigned channel)
        : ready_(events, *this),
          events_(events),
          owner_(owner),
          path_(path),
          feeder(feeder),
          channel(channel) {}

    void push(flight& f) {
        fifo_.push(f);
        words_ += f.words;
        if (fifo_.size() == 1) arm();
    }
    const flight& first() const { return fifo_.front(); }
    // The first packet leaves; its last word leaves at that time.
    flight& leave(core::sim_time finish) {
        flight& f = fifo_.pop();
        words_ -= f.words;
        free_at_ = finish;
        since_ = core::sim_time::never();
        if (!fifo_.empty()) arm();
        return f;
    }
    void room();
    std::size_t packets() const { return fifo_.size(); }
    std::uint64_t words() const { return words_; }
    const std::string& path() const { return path_; }
    // Since when the first packet waits for its output.
    bool waits() const { return since_ != core::sim_time::never(); }
    core::sim_time since() const { return since_; }
    // Drops all its packets; returns their number.
    std::size_t reset(flight_store& to) {
        const std::size_t held = fifo_.size();
        while (!fifo_.empty()) to.give_back(fifo_.pop());
        ready_.cancel();
        words_ = 0;
        free_at_ = {};
        since_ = core::sim_time::never();
        return held;
    }

private:
    void arm() { ready_.arm(std::max({events_.now(), free_at_, fifo_.front().ready})); }
    void ready();

    core::timer<&input_buffer::ready> ready_;
    core::linked_fifo<flight> fifo_;
    core::scheduler& events_;
    torus_node& owner_;
    core::sim_time free_at_{};  // one word a cycle is read
    core::sim_time since_ = core::sim_time::never();
    const std::string& path_;

public:
    torus_link* const feeder;
    input_buffer* next = nullptr;  // the next buffer that waits for the same output
    const unsigned channel;

private:
    std::uint32_t words_ = 0;
};

}  // namespace contraflow::net
