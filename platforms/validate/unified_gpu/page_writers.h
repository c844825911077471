// SPDX-License-Identifier: Apache-2.0
// A kernel in which every GPU writes to all pages while they move: additions all over a shared array, and each thread's
// own words in every page of a second array.
#pragma once

#include <vector>

#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {

struct recorded_moves final : host::migration::move_observer_if {
    void page_moved(const host::migration::move_record& m) override { all.push_back(m); }
    std::vector<host::migration::move_record> all;
};

class page_writers {
public:
    explicit page_writers(unified_bench& bench);
    gpu::host_task work();
    // The number of words that differ from the host's result, after one work().
    std::size_t wrong_words();

private:
    gpu::kernel update(gpu::wave w);

    unified_bench& bench_;
    gpu::array<std::uint32_t> shared_, own_;
    host::command_queue& queue_;
};

// Four GPUs with two units each on a switch; pages move to the GPU that touches them.
host::unified_machine::spec restless_pages(host::migration::granularity how);

}  // namespace contraflow::validate
