// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/read_engine.h"

#include <algorithm>
#include <utility>

namespace contraflow::gpu {

using pcie::access_result;

read_engine::read_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                         peer_memory& memory, const peer_spec& s, std::string name)
    : events_(events),
      function_(of),
      memory_(memory),
      name_(std::move(name)),
      latency_(s.read_latency),
      line_time_(s.read_rate.time_of({peer_line})),
      windows_(s.requesters),
      queue_(s.read_queue),
      served_(statistics, name_ + ".served", "lines", "lines of 128 bytes sent to requesters"),
      refused_(statistics, name_ + ".refused", "requests",
               "requests for inaccessible memory, or without an answer window"),
      dropped_(statistics, name_ + ".dropped", "requests", "requests that were in the queue when the GPU was reset"),
      queued_(statistics, name_ + ".queued", "requests", "read requests in the GPU") {
    reset();
}

void read_engine::reset() {
    stop();
    refusing_ = false;
    free_at_ = {};
    free_.clear();
    for (auto& answer : answers_) free_.push_back(&answer);
}

void read_engine::stop() {
    serve_.cancel();
    dropped_ += queue_.size();
    queue_.clear();
    queued_.set(events_.now(), 0);
    for (window& w : windows_) w.base = w.size = 0;
    if (std::exchange(refusing_, false)) function_.resume(pcie::credit_class::posted);
}

access_result read_engine::request(unsigned requester, std::uint64_t word) {
    window& w = windows_.at(requester);
    const auto r = peer_read_request::decode(word);
    const std::uint64_t at = r ? std::uint64_t{r->answer_at} * peer_line : 0;
    if (!r || memory_.token(r->address) == 0 || w.base == 0 || at + peer_line > w.size) {
        ++refused_;
        ++w.refused;
        return access_result::aborted;
    }
    if (queue_.full()) {
        if (!std::exchange(refusing_, true)) refusing_since_ = events_.now();
        return access_result::busy;
    }
    queue_.try_push({r->address, w.base + at, events_.now() + latency_});
    queued_.set(events_.now(), static_cast<double>(queue_.size()));
    if (queue_.size() == 1) arm();
    return access_result::done;
}

void read_engine::arm() {
    if (queue_.empty() || free_.empty() || serve_.armed()) return;
    serve_.arm(std::max({queue_.front().ready, free_at_, events_.now()}));
}

void read_engine::serve() {
    const entry first = queue_.pop();
    queued_.set(events_.now(), static_cast<double>(queue_.size()));
    free_at_ = events_.now() + line_time_;
    pcie::operation& answer = *free_.back();
    free_.pop_back();
    answer.kind = pcie::operation_kind::write;
    answer.address = first.to;
    answer.length = peer_line;
    answer.buffer = memory_.bytes().data() + first.from;
    answer.owner = this;
    ++served_;
    arm();
    function_.start(answer);
    if (std::exchange(refusing_, false)) function_.resume(pcie::credit_class::posted);
}

void read_engine::finished(pcie::operation& o) {
    free_.push_back(&o);
    arm();
}

void read_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    if (refusing_) edges.push_back({function_.name(), "room among read requests", name_, refusing_since_});
    if (!queue_.empty() && free_.empty() && queue_.front().ready <= events_.now())
        edges.push_back({name_, "answers to leave", function_.name(), queue_.front().ready});
}

}  // namespace contraflow::gpu
