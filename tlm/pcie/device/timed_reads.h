// SPDX-License-Identifier: Apache-2.0
// Timed reads of a region: each read is answered a latency after its arrival at the earliest, the answers keep to a
// rate, and waiting reads are in a finite queue. A full queue holds requests back on the link.
#pragma once

#include <cstdint>

#include "core/bounded_queue.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "pcie/device/function.h"

namespace contraflow::pcie {

class timed_reads final : public core::waiter_if {
public:
    struct spec {
        core::sim_time latency{};
        core::bandwidth rate{};
        std::uint32_t queue = 32;  // requests
    };
    // `name`: of the region, in reports of waits.
    timed_reads(core::scheduler& events, function& of, const spec& s, std::string name);

    // The result of region_if::request() for a read: later or busy.
    access_result take(inbound_request& r);
    std::size_t waiting() const { return queue_.size(); }
    // Answers all waiting reads as completer aborts.
    void abort();
    // Its function has been reset: no requester waits for an answer any more.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct entry {
        inbound_request* request = nullptr;
        core::sim_time due{}, since{};
    };
    void answer_first();
    void let_in();

    core::scheduler& events_;
    function& function_;
    const spec spec_;
    const std::string name_;
    core::bounded_queue<entry> queue_;
    core::sim_time free_at_{};
    bool refused_ = false;
    core::timer<&timed_reads::answer_first> answer_{events_, *this};
};

}  // namespace contraflow::pcie
