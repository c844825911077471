// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/table_core.h"

#include <algorithm>

namespace contraflow::nic {

void table_core::begin(const core_task& task) {
    core::sim_time time = spec_.request;
    result_.reset();
    if (task.work == core_work::translate) {
        time = spec_.translate + (task.offset == 0 ? spec_.message : core::sim_time{});
        result_ = find(task);
    }
    if (time.ps == 0) return done();
    done_.arm_after(time);
}

std::optional<gpu_extent> table_core::find(const core_task& task) const {
    const descriptor& m = task.message;
    const std::uint64_t page = 1ull << page_bits(m.space), at = m.source + task.offset;
    for (const buffer& b : buffers_) {
        const std::uint64_t size = b.pages.size() * page;
        if (b.process != m.process || b.space != m.space || m.source < b.base || m.source - b.base >= size ||
            m.length > size - (m.source - b.base))
            continue;
        return gpu_extent{b.pages[(at - b.base) / page] + at % page,
                          std::min(page - at % page, m.length - task.offset)};
    }
    return std::nullopt;
}

}  // namespace contraflow::nic
