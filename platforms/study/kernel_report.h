// SPDX-License-Identifier: Apache-2.0
// The kernels of a run over time.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "face/results/report_data.h"

namespace contraflow::study {

struct kernel_result {
    std::string name;
    core::sim_time begun{}, ended{};
};

// The sum over all launches that have ended.
template <class Launches> std::vector<kernel_result> kernels_of(const Launches& launches) {
    std::vector<kernel_result> all;
    for (const auto& l : launches)
        if (l.ended) all.push_back({l.launch.name(), l.begun, l.ended_at});
    return all;
}

// Shows the first kernels if there are too many to read. `note` says where all are shown.
face::timeline kernel_timeline(const std::vector<kernel_result>& kernels, const std::string& id,
                               const std::string& note);
// A line across a chart over time (us) where each begins.
void mark_kernels(face::chart& chart, const std::vector<kernel_result>& kernels, std::size_t most);

}  // namespace contraflow::study
