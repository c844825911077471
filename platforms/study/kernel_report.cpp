// SPDX-License-Identifier: Apache-2.0
#include "study/kernel_report.h"

#include <fmt/format.h>

namespace contraflow::study {

face::timeline kernel_timeline(const std::vector<kernel_result>& kernels, const std::string& id,
                               const std::string& note) {
    constexpr std::size_t most = 400;
    face::timeline t;
    t.id = id + "-kernels";
    t.title = "Kernels";
    t.x = {"time", "us"};
    t.rows = {"kernels"};
    for (const auto& k : kernels) {
        if (t.bars.size() == most) break;
        t.bars.push_back({"kernels", k.name, k.name, {}, k.begun.seconds() * 1e6, k.ended.seconds() * 1e6});
    }
    t.note = kernels.size() > most ? fmt::format("the first {} of {}", most, kernels.size()) : note;
    return t;
}

void mark_kernels(face::chart& chart, const std::vector<kernel_result>& kernels, std::size_t most) {
    for (const auto& k : kernels) {
        if (chart.moments.size() == most) break;
        chart.moments.push_back({k.begun.seconds() * 1e6, k.name});
    }
}

}  // namespace contraflow::study
