// SPDX-License-Identifier: Apache-2.0
// One direction of a link of a torus: the output of a node, its wire, and credits for the receive buffers at the other
// end. Virtual cut-through: a packet leaves when its header is there, if the other end has room for all of it, and
// follows word by word. Bits are damaged and words sent again by link_protection.
// A link is no core::channel: its virtual channels share a wire, and a packet leaves its buffer while it still arrives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/credits.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "net/torus/input_buffer.h"
#include "net/torus/link_protection.h"
#include "net/torus/output_turns.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"

namespace contraflow::net {

struct torus_link_counts {
    std::uint64_t packets = 0, words = 0, credit_stall_ps = 0, lost_credits = 0;
};

struct torus_link_statistics {
    torus_link_statistics(observe::statistics& group, const std::string& path, const torus_link_counts& c)
        : packets(group, path + ".packets", "packets", "packets that have begun to cross", c.packets),
          words(group, path + ".words", "words", "their words, each counted once", c.words),
          credit_stall(group, path + ".credit_stall", "ps",
                       "time in which packets waited, the wire was free, and credits lacked", c.credit_stall_ps),
          lost_credits(group, path + ".lost_credits", "words", "credits that were lost on their way back",
                       c.lost_credits) {}

    observe::counter_view packets, words, credit_stall, lost_credits;
};

class torus_link final : public core::waiter_if {
public:
    // The direction in which it leaves its node.
    struct place {
        unsigned node = 0, far_node = 0;
        unsigned dimension = 0;
        bool positive = false, dateline = false;
    };
    torus_link(core::scheduler& events, observe::statistics& group, std::string path, const torus_spec& s,
               unsigned number, const place& at, unsigned channels);

    // Before the first packet: sets the node at the other end, and its buffers by channel.
    void connect(torus_node& receiver, const std::vector<input_buffer*>& buffers);
    void request(unsigned channel, input_buffer& b);
    // The last of these words leaves the buffer at the other end at time `left`; the credit then crosses the wire.
    void credit_back(unsigned channel, std::uint32_t words, core::sim_time left);
    // The next returning credit of that channel is lost.
    void lose_credit(unsigned channel) { ++channels_[channel].to_lose; }

    const std::string& path() const { return path_; }
    const place& where() const { return at_; }
    const torus_link_statistics& statistics() const { return statistics_; }
    const link_protection& protection() const { return protection_; }
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // A row for each channel with missing credits.
    void check(observe::conservation& checks) const;
    // The sum over all channels, in words: credits here, credits on their way back, and words held by packets.
    std::uint64_t all_credits() const;

private:
    struct virtual_channel {
        core::credits credits;         // words of the buffer
        input_buffer* into = nullptr;  // at the other end
        unsigned to_lose = 0;          // credits that will not come back
    };

    bool starved() const { return starved_since_ != core::sim_time::never(); }
    void serve();
    void send(input_buffer& from);

    // The fields that each packet touches come first.
    core::scheduler& events_;
    core::sim_time busy_until_{};
    std::vector<virtual_channel> channels_;
    output_turns turns_;
    core::timer<&torus_link::serve> wake_;
    torus_link_counts counts_;
    core::sim_time starved_since_ = core::sim_time::never();  // packets wait only for credits
    const core::sim_time wire_time_;
    torus_node* receiver_ = nullptr;
    const std::string path_;
    link_protection protection_;
    const place at_;
    const std::uint64_t buffer_words_;
    torus_link_statistics statistics_;
};

}  // namespace contraflow::net
