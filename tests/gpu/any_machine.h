// SPDX-License-Identifier: Apache-2.0
// The same kernels on every kind of machine: the ideal one in both orders, compute units on a plain memory, whole
// GPUs.
#pragma once

#include <memory>

#include "gpu/kernel/ideal_machine.h"
#include "timed_machine.h"
#include "whole_gpu.h"

namespace contraflow::gpu::testing {

enum class kind { ideal, ideal_backwards, timed, timed_and_tiny, whole, whole_caching_remote };

class any_machine {
public:
    explicit any_machine(kind k) {
        if (k == kind::ideal || k == kind::ideal_backwards) {
            ideal_ = std::make_unique<ideal_machine>(
                ideal_machine::spec{.resident_ctas = 3, .turn = 2, .backwards = k == kind::ideal_backwards});
            return;
        }
        if (k == kind::whole || k == kind::whole_caching_remote) {
            gpu_spec s = small_gpu();
            if (k == kind::whole_caching_remote) s.coherence = coherence::remote_caching;
            whole_ = std::make_unique<whole_gpu>(s);
            return;
        }
        machine_spec s;
        if (k == kind::timed_and_tiny) {
            s.unit.wave_slots = 5;
            s.unit.cta_slots = 2;
            s.unit.schedulers = 1;
            s.unit.outstanding = 1;
            s.memory.queue = 1;
            s.pages.page_size = {4096};
            s.dispatcher.order = cta_order::round_robin;
        }
        timed_ = std::make_unique<timed_machine>(s);
    }
    gpu_system_if& system() {
        if (ideal_) return *ideal_;
        return whole_ ? whole_->gpu.host() : timed_->host;
    }
    void run(host_task program) {
        if (ideal_) return ideal_->run(std::move(program));
        if (whole_) {
            whole_->run(std::move(program));
            return whole_->expect_clean();
        }
        timed_->run(std::move(program));
        EXPECT_TRUE(timed_->conserved());
    }

private:
    std::unique_ptr<ideal_machine> ideal_;
    std::unique_ptr<timed_machine> timed_;
    std::unique_ptr<whole_gpu> whole_;
};

}  // namespace contraflow::gpu::testing
