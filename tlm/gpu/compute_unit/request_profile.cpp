// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/request_profile.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::gpu {

void stage_times::append_rows(core::sim_time, std::vector<observe::stat_row>& rows) const {
    // A machine whose translation takes no time has no rows for it.
    std::size_t count = memory::stage_count;
    if (std::all_of(spent_.begin() + memory::first_translation_stage, spent_.end(), [](auto ps) { return ps == 0; }))
        count = memory::first_translation_stage;
    for (std::size_t s = 0; s < count; ++s)
        rows.push_back(row(memory::stage_name(static_cast<memory::stage>(s)), static_cast<double>(spent_[s])));
}

request_profile::part::part(observe::statistics& statistics, const std::string& path, const std::string& what)
    : latency(statistics, path + ".latency", "ns", fmt::format("from the coalescer to the answer, {}", what)),
      stages(statistics, path + ".stages", fmt::format("where that time was spent, over all {}", what)) {}

request_profile::request_profile(observe::statistics& statistics, const std::string& path) {
    for (const char* kind : {"loads", "stores", "atomics"})
        for (const char* where : {"local", "remote"})
            parts_.emplace_back(statistics, fmt::format("{}.{}_{}", path, where, kind),
                                fmt::format("{} {} of lines", where, kind));
}

}  // namespace contraflow::gpu
