// SPDX-License-Identifier: Apache-2.0
// Packets leave a torus at their target by an output of one word per cycle to the node's client, with room for a packet
// of each class. A client that refuses requests does not hold back responses.
#pragma once

#include <array>
#include <string>

#include "core/timer.h"
#include "net/network_port.h"
#include "net/torus/output_turns.h"
#include "net/torus/torus_shared.h"
#include "observe/statistics.h"

namespace contraflow::net {

class ejection final {
public:
    // Hands packets over to the port's client.
    ejection(torus_shared& all, observe::statistics& group, const std::string& path, network_port& port);

    void request(packet_class kind, input_buffer& b);
    // The client would now take the packet of that class that it refused.
    void offer_again(unsigned kind);
    std::size_t packets() const { return (held_[0] != nullptr) + (held_[1] != nullptr); }
    std::size_t reset();

private:
    void serve();
    void done();
    void hand_over(std::size_t kind);

    torus_shared& all_;
    const core::sim_time word_time_;
    network_port& port_;
    output_turns turns_{packet_classes, 1};
    std::array<flight*, packet_classes> held_{};  // by class
    flight* arriving_ = nullptr;                  // one of them
    core::timer<&ejection::done> done_;
    observe::counter packets_, words_;
};

}  // namespace contraflow::net
