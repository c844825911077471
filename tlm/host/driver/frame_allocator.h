// SPDX-License-Identifier: Apache-2.0
// The physical pages of every GPU. New frames are taken from the bottom of its memory upwards; returned frames are
// reused before new ones, the last returned first.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/crossbar/address_map.h"

namespace contraflow::host {

class frame_allocator {
public:
    // Socket i of the map is GPU i + 1; that number is in the high bits if the map begins with 1.
    frame_allocator(const memory::address_map& map, std::uint64_t page_size);

    std::uint64_t free_frames(unsigned gpu) const;
    // The physical address of a free one; there must be one.
    std::uint64_t take(unsigned gpu);
    void give_back(std::uint64_t physical);
    // The virtual address of a frame's page, or `nobody`. A returned frame has no tenant.
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    void set_tenant(std::uint64_t physical, std::uint64_t page);
    std::uint64_t tenant(std::uint64_t physical) const;
    unsigned gpu_of(std::uint64_t physical) const { return map_.socket_of(physical) + 1; }

private:
    struct gpu_frames {
        std::uint64_t untouched = 0;  // the first that was never used
        std::vector<std::uint64_t> given_back;
        std::vector<std::uint64_t> tenants;  // for frames that were ever used
    };

    const memory::address_map map_;
    const std::uint64_t page_size_;
    const std::uint64_t frames_;
    std::vector<gpu_frames> gpus_;
};

}  // namespace contraflow::host
