// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/walk_spec.h"

#include <stdexcept>

namespace contraflow::memory {

void walk_spec::describe(config::fields<walk_spec>& f) {
    const core::cycles longest{1'000'000};
    f("walkers", &walk_spec::walkers).in(1, 1024).unit("walks").text("walks that are under way together");
    f("queue", &walk_spec::queue)
        .in(1, 65536)
        .unit("requests")
        .text("requests on the way here or waiting for a walker");
    f("kind", &walk_spec::kind)
        .text("fixed: a walk takes the time below; memory: its entries are read where they stand, one after the other");
    f("latency", &walk_spec::latency).in(core::cycles{1}, longest).text("time of a walk of kind fixed");
    f("step", &walk_spec::step)
        .in(core::cycles{1}, longest)
        .text("time from an entry's arrival to the next read or the answer");
    f("cached", &walk_spec::cached)
        .in(0, 65536)
        .unit("entries")
        .text("entries of each upper level that are kept for later walks of kind memory");
    f("invalidate_latency", &walk_spec::invalidate_latency)
        .in(core::cycles{1}, longest)
        .text("time from the invalidation of entries to its acknowledgement");
}

void walk_spec::check() const {
    if (walkers == 0 || queue == 0 || latency.count == 0 || step.count == 0 || cycle == core::sim_time{})
        throw std::invalid_argument("page walks: walkers, queue, latency, step and cycle are at least 1");
}

}  // namespace contraflow::memory
