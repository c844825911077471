// SPDX-License-Identifier: Apache-2.0
// One page on its way, as its migrator keeps it.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/migration/page_pull.h"
#include "host/migration/steps.h"
#include "memory/vm/translation.h"

namespace contraflow::host::migration {

struct page_move {
    move_record record;
    step now = step::notify;
    unsigned number = 0;    // where it is kept
    bool closed = false;    // its entry lets nobody in, or nobody write
    bool freed = false;     // by its process, meanwhile: what is left is to be cleaned up
    bool reserved = false;  // the new frame is nobody's yet
    std::uint64_t old_frame = 0, new_frame = 0;
    std::uint64_t missing = 0;  // GPUs that have not acknowledged the step, a bit each
    memory::translation_range range;
    gpu::page_pull pull;
    struct host_write {
        std::uint64_t offset = 0;
        std::vector<std::byte> bytes;
    };
    std::vector<host_write> written;  // by the host, since it began

    const page_id& page() const { return record.page; }
    bool begun() const { return now > step::queue; }
    core::sim_time since() const { return record.began(now); }
};

}  // namespace contraflow::host::migration
