// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/mistake_report.h"

#include <fmt/format.h>

#include "gpu_shmem/results/put_report.h"

namespace contraflow::gpu_shmem {

void fill_mistake(face::report_data& report, const experiment& e, const mistake_result& r) {
    report.title = fmt::format("a mistake of a kernel: {}", config::name_of(e.mistake));
    report.levels = levels_of();
    report.headline.push_back(
        fmt::format("Bytes of other PEs' heaps that no right put explains: {}.", r.changed_bytes));
    report.results["mistake"] = {
        {"kind", config::name_of(e.mistake)}, {"said", r.said}, {"changed_bytes", r.changed_bytes}};
}

}  // namespace contraflow::gpu_shmem
