// SPDX-License-Identifier: Apache-2.0
// One of the finite queues of an RDMA engine: what came in at a port, in order, each ready a fixed time later and one a
// cycle at most. Its owner is told when the first is ready; what it then leaves stays until it asks again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/scheduler.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::gpu {

class rdma_queue {
public:
    class owner_if {
    public:
        virtual void first_is_ready(rdma_queue& which) = 0;

    protected:
        ~owner_if() = default;
    };
    // What goes through here, and by which port.
    enum class flow : std::uint8_t { request_out, request_in, response_out, response_in };

    rdma_queue(core::scheduler& events, owner_if& owner, flow what, unsigned port)
        : way(what),
          port(port),
          events_(events),
          owner_(owner) {}

    const flow way;
    const unsigned port;

    bool full(unsigned capacity) const { return held_.size() >= capacity; }
    void push(memory::memory_extension& last, core::sim_time latency, core::sim_time cycle) {
        const core::sim_time now = events_.now();
        last.due = std::max(now + latency, next_due_);
        next_due_ = last.due + cycle;
        held_.push(last);
        if (held_.size() == 1) arm();
    }
    // Null: there is none, or its time has not come.
    memory::memory_extension* first() const {
        return held_.empty() || held_.front().due > events_.now() ? nullptr : &held_.front();
    }
    void pop() {
        held_.pop();
        if (!held_.empty() && held_.front().due > events_.now()) arm();
    }
    core::sim_time first_since() const { return held_.front().due; }
    void reset() {
        held_.clear();
        next_due_ = {};
        ++epoch_;
    }

private:
    void arm() {
        events_.at(
            held_.front().due,
            [](void* queue, std::uint64_t epoch) {
                auto* const self = static_cast<rdma_queue*>(queue);
                if (self->epoch_ == epoch) self->owner_.first_is_ready(*self);
            },
            this, epoch_);
    }

    core::scheduler& events_;
    owner_if& owner_;
    memory::payload_fifo held_;
    core::sim_time next_due_{};
    std::uint64_t epoch_ = 0;
};

}  // namespace contraflow::gpu
