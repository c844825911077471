// SPDX-License-Identifier: Apache-2.0
// A shootdown on a whole machine: the IOMMU invalidates first, then all GPUs in parallel. Several may be in progress.
#pragma once

#include <cstdint>
#include <vector>

#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/system/multi_gpu.h"
#include "host/iommu/iommu.h"

namespace contraflow::host {

class shootdown_everywhere final : public gpu::shootdown_target_if, public core::waiter_if {
public:
    shootdown_everywhere(iommu& first, gpu::multi_gpu& then, observe::statistics& statistics);

    void shoot_down(const gpu::shootdown& what, core::callback done) override;
    std::size_t under_way() const { return orders_.size() - free_.size(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Shootdowns in progress are not acknowledged. Call it with the reset of the machine.
    void reset();

private:
    struct order {
        gpu::shootdown what;
        core::callback done;
        core::sim_time begun{};
        bool in_use = false;
        std::uint64_t missing = 0;  // a bit for each GPU; 0 while the IOMMU invalidates
    };
    // The completion of the IOMMU (number 0) or of a GPU.
    core::callback then(std::uint32_t order, unsigned who) {
        return calls_.make<&shootdown_everywhere::told>(who << 24 | order);
    }
    void told(std::uint32_t who_and_order) { acknowledged(who_and_order & 0xff'ffff, who_and_order >> 24); }
    void acknowledged(std::uint64_t order, unsigned who);

    iommu& iommu_;
    gpu::multi_gpu& gpus_;
    std::vector<order> orders_;
    std::vector<std::uint32_t> free_;
    core::cancellable_calls<shootdown_everywhere> calls_;
    observe::histogram latency_;
};

}  // namespace contraflow::host
