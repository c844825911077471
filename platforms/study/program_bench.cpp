// SPDX-License-Identifier: Apache-2.0
#include "study/program_bench.h"

#include "gpu/dispatch/cta_too_large.h"
#include "traces/replay.h"

namespace contraflow::study {

std::uint64_t requests_of(const gpu::request_profile& p) {
    std::uint64_t sum = 0;
    for (const auto kind : {gpu::access_kind::load, gpu::access_kind::store, gpu::access_kind::atomic})
        sum += p.count(kind, false) + p.count(kind, true);
    return sum;
}

void recorded_program::prepare(gpu::gpu_system_if& machine) {
    gpus_ = &machine;
    if (record_ != nullptr) {
        recorder_ = std::make_unique<traces::recorder>(machine, machine.memory(), *record_);
        gpus_ = recorder_.get();
    }
    program_ = chosen_.create();
    program_->prepare(gpus_->memory());
}

bool does_not_fit(const std::exception& e) {
    return dynamic_cast<const gpu::cta_too_large*>(&e) != nullptr ||
           dynamic_cast<const traces::other_wave_width*>(&e) != nullptr;
}

std::string fault_text(const std::exception& e, core::sim_time& at,
                       const std::function<std::string(const gpu::access_fault&)>& nearest) {
    const auto* const access = dynamic_cast<const gpu::access_fault*>(&e);
    if (access == nullptr) return e.what();
    at = access->when();
    return access->what() + (access->why() == gpu::access_fault::reason::unmapped ? nearest(*access) : "");
}

}  // namespace contraflow::study
