// SPDX-License-Identifier: Apache-2.0
// Sizes and choices of a job: what shmem_init would take from the environment.
#pragma once

#include <cstdint>
#include <vector>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::shmem {

// The steps that keep data right between a kernel, the PCIe path and NICs (docs/litmus.md). All of them are taken; a
// test leaves one out to see the bytes that are wrong then.
struct coherence_steps {
    bool join = true;                  // an operation awaits the stores of all wavefronts of its workgroup
    bool wait_for_stores = true;       // data and entry are in memory before the invalidate and the doorbell
    bool invalidate = true;            // the path block's read cache, before the doorbell
    bool wait_for_invalidate = true;   // before the doorbell
    bool fence = true;                 // flushes the write combiners of the other PEs
    bool wait_for_completions = true;  // in quiet, and in operations that return when they are complete
    bool flush_results = true;         // the own write combiner, before what was got is read
    bool take = true;                  // the NIC is told which completions have been taken
    bool wait_for_slot = true;         // an entry's place is used again when the NIC is done with the entry before
};

struct spec {
    core::bytes heap{1u << 20};
    core::bytes cached_heap{0};
    unsigned contexts = 1;
    unsigned entries = 64;
    unsigned batch = 16;
    bool templates = true;
    core::bytes template_bytes{8};
    bool stores_in_turn = true;
    core::cycles compose{16};
    core::cycles poll{16};
    unsigned patience = 400;
    unsigned helpers = 0;
    core::sim_time helper_look = core::sim_time::from_ns(50), helper_serve = core::sim_time::from_ns(200);
    // For tests, so without a key.
    coherence_steps steps;

    static void describe(config::fields<spec>& f);
};

}  // namespace contraflow::shmem
