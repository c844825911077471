// SPDX-License-Identifier: Apache-2.0
// The input of a migration policy: a page, by process and first address, and a GPU that has touched it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/units.h"

namespace contraflow::host::migration {

struct page_id {
    std::uint32_t process = 0;
    std::uint64_t address = 0;
    friend bool operator==(const page_id&, const page_id&) = default;
};

struct page_hash {
    std::size_t operator()(const page_id& p) const {
        return std::hash<std::uint64_t>()(p.address ^ std::uint64_t{p.process} << 44);
    }
};

enum class seen_by {
    walk,     // the IOMMU has translated an address of it for that GPU, which waits for the answer
    counter,  // the GPU's access counter for it has reached its threshold
};

// GPUs are numbered from 1.
struct page_touch {
    page_id page;
    unsigned gpu = 0;    // the GPU that touched it
    unsigned owner = 0;  // the GPU whose memory has the page
    bool write = false;
    seen_by how = seen_by::walk;
    core::sim_time now{};
};

}  // namespace contraflow::host::migration
