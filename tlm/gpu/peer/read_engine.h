// SPDX-License-Identifier: Apache-2.0
// Serves peer-to-peer read requests in order, a line each, after a minimum latency and at its own rate. The answers are
// posted writes into the requester's answer window. Each line costs one callback of the scheduler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/peer/peer_memory.h"
#include "gpu/peer/peer_spec.h"
#include "observe/counter.h"
#include "observe/gauge.h"
#include "pcie/device/function.h"

namespace contraflow::gpu {

class read_engine final : public core::waiter_if, private pcie::requester_user_if {
public:
    read_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of, peer_memory& memory,
                const peer_spec& s, std::string name);

    // Takes a read request, or sets the requester's answer window. Busy if the queue is full. A request for
    // inaccessible memory or for an answer outside the window is counted and dropped, because a posted write has no
    // answer.
    pcie::access_result request(unsigned requester, std::uint64_t word);
    void set_answer_base(unsigned requester, std::uint64_t address) { windows_.at(requester).base = address; }
    void set_answer_size(unsigned requester, std::uint64_t size) { windows_.at(requester).size = size; }

    std::uint32_t refused(unsigned requester) const { return windows_.at(requester).refused; }
    std::uint64_t served() const { return served_.value(); }
    std::uint64_t dropped() const { return dropped_.value(); }
    // Drops all requests and closes all answer windows. Answers that have begun are still sent.
    void stop();
    // Call when the function has been reset as well.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct window {
        std::uint64_t base = 0, size = 0;
        std::uint32_t refused = 0;
    };
    struct entry {
        std::uint64_t from = 0, to = 0;  // in GPU memory; on the bus
        core::sim_time ready{};
    };
    static constexpr unsigned answers_under_way = 8;  // lines whose last write has not left

    void finished(pcie::operation& o) override;
    void serve();
    void arm();

    core::scheduler& events_;
    pcie::function& function_;
    peer_memory& memory_;
    const std::string name_;
    const core::sim_time latency_, line_time_;
    std::vector<window> windows_;  // by requester
    core::bounded_queue<entry> queue_;
    bool refusing_ = false;
    core::sim_time refusing_since_{};
    core::sim_time free_at_{};
    std::array<pcie::operation, answers_under_way> answers_;
    std::vector<pcie::operation*> free_;
    core::timer<&read_engine::serve> serve_{events_, *this};
    observe::counter served_, refused_, dropped_;
    observe::gauge queued_;
};

}  // namespace contraflow::gpu
