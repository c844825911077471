// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/timed_reads.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace contraflow::pcie {

timed_reads::timed_reads(core::scheduler& events, function& of, const spec& s, std::string name)
    : events_(events),
      function_(of),
      spec_(s),
      name_(std::move(name)),
      queue_(s.queue) {
    if (s.queue == 0 || !(s.rate.bytes_per_s > 0))
        throw std::invalid_argument("pcie::timed_reads: a queue of one request at least, and a rate above 0");
}

access_result timed_reads::take(inbound_request& r) {
    if (queue_.full()) {
        refused_ = true;
        return access_result::busy;
    }
    const core::sim_time begin = std::max(events_.now() + spec_.latency, free_at_);
    free_at_ = begin + spec_.rate.time_of({r.length});
    queue_.try_push({&r, free_at_, events_.now()});
    if (queue_.size() == 1) answer_.arm(free_at_);
    return access_result::later;
}

void timed_reads::answer_first() {
    inbound_request& r = *queue_.pop().request;
    if (!queue_.empty()) answer_.arm(queue_.front().due);
    function_.answer(r);
    let_in();
}

void timed_reads::let_in() {
    if (std::exchange(refused_, false)) function_.resume(credit_class::non_posted);
}

void timed_reads::abort() {
    answer_.cancel();
    while (!queue_.empty()) {
        inbound_request& r = *queue_.pop().request;
        r.status = completion_status::completer_abort;
        function_.answer(r);
    }
    free_at_ = events_.now();
    let_in();
}

void timed_reads::reset() {
    answer_.cancel();
    queue_.clear();
    free_at_ = {};
    refused_ = false;
}

void timed_reads::report_waits(std::vector<core::wait_edge>& edges) const {
    if (refused_) edges.push_back({function_.name(), "room among reads", name_, queue_.front().since});
}

}  // namespace contraflow::pcie
