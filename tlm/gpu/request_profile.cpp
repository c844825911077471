// SPDX-License-Identifier: Apache-2.0
#include "gpu/request_profile.h"

#include <fmt/format.h>

namespace contraflow::gpu {

request_profile::part::part(observe::statistics& statistics, const std::string& path, const std::string& what)
    : latency(statistics, path + ".latency", "ns", fmt::format("from the coalescer to the answer, {}", what)) {
    for (std::size_t s = 0; s < memory::stage_count; ++s) {
        const auto name = memory::stage_name(static_cast<memory::stage>(s));
        stages.emplace_back(statistics, fmt::format("{}.{}", path, name), "ps",
                            fmt::format("time of that spent in stage {}, over all {}", name, what));
    }
}

request_profile::request_profile(observe::statistics& statistics, const std::string& path) {
    for (const char* kind : {"loads", "stores", "atomics"})
        for (const char* where : {"local", "remote"})
            parts_.emplace_back(statistics, fmt::format("{}.{}_{}", path, where, kind),
                                fmt::format("{} {} of lines", where, kind));
}

}  // namespace contraflow::gpu
