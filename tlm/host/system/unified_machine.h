// SPDX-License-Identifier: Apache-2.0
// Several GPUs with their driver and all that translates addresses for them:
//
//   instant   driver - page_table, which every unit asks in no time
//   timed     driver - radix_mapper - radix_table in the host's memory <- iommu <- [gmmu <-] L2 TLB <- L1 TLB of a unit
//
// Freed memory is shot down everywhere before its frames are used again. A page migrator finds here what it needs:
// the table, the IOMMU with its fault sink, the driver's address space, and a shootdown on one GPU (its command
// processor) or on all (shootdowns()).
#pragma once

#include <memory>

#include "gpu/system/multi_gpu.h"
#include "host/driver/driver.h"
#include "host/iommu/iommu.h"
#include "host/iommu/shootdown_everywhere.h"
#include "host/migration/page_migrator.h"
#include "host/system/host_memory.h"
#include "memory/vm/radix_mapper.h"

namespace contraflow::host {

class unified_machine final : public core::waiter_if, public core::controllable_if {
public:
    struct spec {
        gpu::multi_gpu_spec gpus;
        host::iommu::spec iommu;   // these two with timed translation only
        host_memory::spec memory;  //
        host::driver::spec driver;
        migration::page_migrator::spec migration;  // with timed translation only
        static void describe(config::fields<spec>& f);
    };
    // A specification with a problem is a std::invalid_argument.
    unified_machine(core::scheduler& events, observe::statistics& statistics, const spec& s,
                    core::sim_time series_window = core::sim_time::from_us(5),
                    const link::lane_set_factory& controllers = {});
    ~unified_machine() override;

    gpu::multi_gpu& gpus() { return *gpus_; }
    host::driver& driver() { return *driver_; }
    // Null where translation takes no time.
    memory::radix_table* table() { return translation_ ? &translation_->table : nullptr; }
    host_memory* tables_home() { return translation_ ? &translation_->home : nullptr; }
    host::iommu* iommu() { return translation_ ? &translation_->walker : nullptr; }
    // Null where no page ever moves.
    migration::page_migrator* migrator() { return migrator_.get(); }
    shootdown_everywhere* shootdowns() { return translation_ ? &*translation_->shootdowns : nullptr; }

    // For a watchdog: a count that grows while anything moves, and what has begun and not ended.
    std::uint64_t moved() const;
    bool computing() const { return gpus_->computing(); }  // then time that passes is progress
    std::uint64_t outstanding() const;
    std::uint64_t payloads_in_flight() const;
    bool idle() const;
    void settle() { gpus_->settle(); }
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Pause, drain and enable act on the driver and on what GPUs begin; what they have begun is served to its end.
    // Invalidate: of caches, TLBs and what walkers keep. A reset ends commands with an error; memory and page tables
    // keep what they hold.
    bool control(core::control_verb verb) override;

private:
    struct translation {
        translation(const memory::resources& shared, const spec& s);
        void bind_walkers(gpu::multi_gpu& gpus);

        host_memory home;
        memory::radix_table table;
        memory::radix_mapper mapper;
        host::iommu walker;
        std::optional<shootdown_everywhere> shootdowns;
    };

    memory::payload_pool payloads_;  // of walks
    std::unique_ptr<translation> translation_;
    std::unique_ptr<gpu::multi_gpu> gpus_;
    std::unique_ptr<migration::page_migrator> migrator_;  // outlives the driver, whose commands give pages back to it
    std::unique_ptr<host::driver> driver_;
};

}  // namespace contraflow::host
