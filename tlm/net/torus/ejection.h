// SPDX-License-Identifier: Apache-2.0
// Packets leave a torus at their target by an output of one word per cycle to the node's client, with room for a packet
// of each class. A client that refuses requests does not hold back responses.
#pragma once

#include <array>
#include <string>

#include "core/timer.h"
#include "core/waiting.h"
#include "net/torus/output_turns.h"
#include "observe/statistics.h"

namespace contraflow::net {

class ejection final : public core::waiter_if {
public:
    class owner_if {
    public:
        // True: taken; false: refused until offer_again().
        virtual bool deliver(const flight& f) = 0;
        // The packet has left.
        virtual void delivered(flight& f) = 0;
        virtual const char* taker() const = 0;

    protected:
        ~owner_if() = default;
    };
    ejection(core::scheduler& events, observe::statistics& group, std::string path, core::sim_time word_time,
             owner_if& owner);

    void request(packet_class kind, input_buffer& b);
    void offer_again(packet_class kind);
    std::size_t packets() const { return (held_[0] != nullptr) + (held_[1] != nullptr); }
    std::size_t reset(flight_store& to);
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    void serve();
    void done();
    void hand_over(std::size_t kind);

    core::scheduler& events_;
    const std::string path_;
    const core::sim_time word_time_;
    owner_if& owner_;
    output_turns turns_{2, 1};
    std::array<flight*, 2> held_{};            // by class
    std::array<core::sim_time, 2> refused_{};  // since then
    flight* arriving_ = nullptr;               // one of them
    core::timer<&ejection::done> done_;
    observe::counter packets_, words_;
};

}  // namespace contraflow::net
