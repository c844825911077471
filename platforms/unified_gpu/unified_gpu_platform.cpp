// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/unified_gpu_platform.h"

#include <fstream>

#include <fmt/format.h>

#include "unified_gpu/checks.h"
#include "unified_gpu/study.h"

namespace contraflow::unified_gpu {

void unified_gpu_platform::options(CLI::App& app) {
    app.add_option("--record", record_, "write the accesses of the first run to FILE, for the workload `trace`")
        ->option_text("FILE");
    auto* const gpus = app.add_option("--gpus", gpus_,
                                      "as MGPUSim's: the host cuts kernels over these GPUs; memory is discrete unless "
                                      "--unified-mem is given")
                           ->delimiter(',')
                           ->option_text("1,2,...");
    app.add_option("--unified-gpus", unified_,
                   "as MGPUSim's: kernels run on one GPU that stands for these; memory is discrete unless "
                   "--unified-mem is given")
        ->delimiter(',')
        ->option_text("1,2,...")
        ->excludes(gpus);
    app.add_flag("--unified-mem", unified_memory_, "memory: unified");
}

void unified_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    auto& e = loaded.value;
    const auto& members = unified_.empty() ? gpus_ : unified_;
    if (!members.empty()) {
        e.members = members;
        e.execution = !unified_.empty()     ? host::execution_model::unified
                      : members.size() == 1 ? host::execution_model::one
                                            : host::execution_model::split;
        e.memory = host::memory_model::discrete;
        for (const char* key : {"members", "execution", "memory"}) loaded.mark_computed(key);
    }
    if (unified_memory_) {
        e.memory = host::memory_model::unified;
        loaded.mark_computed("memory");
    }
    check(loaded, diag);
}

int unified_gpu_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    std::ofstream record;
    if (!record_.empty()) {
        record.open(record_, std::ios::binary);
        if (!record) throw face::output_error(fmt::format("--record: '{}' can't be written", record_));
    }
    return study(loaded.value, context, record_.empty() ? nullptr : &record).run();
}

}  // namespace contraflow::unified_gpu
