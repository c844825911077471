// SPDX-License-Identifier: Apache-2.0
// One direction of a link of a torus: the output of a node, its wire, and credits for the receive buffers at the other
// end. Virtual cut-through: a packet leaves once its header is there, if the whole packet has room at the other end,
// and follows word by word. Bits are damaged and words sent again by link_protection.
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

namespace contraflow::net {

// Who gets what a link carries.
class link_receiver_if {
public:
    // Its first word comes at f.header, its last one at f.tail.
    virtual void arrives(unsigned port, flight& f) = 0;

protected:
    ~link_receiver_if() = default;
};

struct torus_link_statistics {
    torus_link_statistics(observe::statistics& group, const std::string& path)
        : packets(group, path + ".packets", "packets", "packets that have begun to cross"),
          words(group, path + ".words", "words", "their words, each counted once"),
          credit_stall(group, path + ".credit_stall", "ps",
                       "time in which packets waited, the wire was free, and credits lacked"),
          lost_credits(group, path + ".lost_credits", "words", "credits that were lost on their way back") {}

    observe::counter packets, words, credit_stall, lost_credits;
};

class torus_link final : public core::waiter_if {
public:
    // By which way it leaves its node.
    struct place {
        unsigned node = 0, far_node = 0;
        unsigned dimension = 0;
        bool positive = false, dateline = false;
    };
    torus_link(core::scheduler& events, observe::statistics& group, std::string path, const torus_spec& s,
               unsigned number, const place& at, unsigned channels);

    // Before the first packet: who is at the other end, and its buffers by channel, of that port there.
    void connect(link_receiver_if& receiver, unsigned port, std::vector<const input_buffer*> buffers);
    void request(unsigned channel, input_buffer& b);
    // Its last word will have left its buffer at the other end then; the credit has the wire still to go.
    void credit_back(unsigned channel, std::uint32_t words, core::sim_time left);
    // Of that channel, the next that would come back never does.
    void lose_credit(unsigned channel) { ++to_lose_[channel]; }

    const std::string& path() const { return path_; }
    const place& where() const { return at_; }
    const torus_link_statistics& statistics() const { return statistics_; }
    const link_protection& protection() const { return protection_; }
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // A row for each channel whose credits are not all there.
    void check(observe::conservation& checks) const;
    // Words of all channels: credits here and on their way, and what is held.
    std::uint64_t all_credits() const;

private:
    void serve();
    void send(input_buffer& from);

    core::scheduler& events_;
    const std::string path_;
    const place at_;
    const core::sim_time wire_time_;
    const std::uint64_t buffer_words_;
    link_receiver_if* receiver_ = nullptr;
    unsigned far_port_ = 0;
    std::vector<const input_buffer*> buffers_;  // at the other end
    std::vector<core::credits> credits_;        // words of them
    std::vector<unsigned> to_lose_;
    output_turns turns_;
    core::sim_time busy_until_{};
    bool starved_ = false;
    core::sim_time starved_since_{};
    core::timer<&torus_link::serve> wake_;
    link_protection protection_;
    torus_link_statistics statistics_;
};

}  // namespace contraflow::net
