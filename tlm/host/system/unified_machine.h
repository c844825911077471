// SPDX-License-Identifier: Apache-2.0
// Several GPUs with their driver and the parts that translate addresses for them:
//
//   instant   driver - page_table, which every unit asks in no time
//   timed     driver - radix_mapper - radix_table in the host's memory <- iommu <- [gmmu <-] L2 TLB <- L1 TLB of a unit
//
// Freed memory is shot down everywhere before its frames are used again. The machine gives a page migrator its parts:
// the table, the IOMMU with its fault sink, the driver's address space, and shootdowns on one GPU (its command
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

class unified_machine : public core::waiter_if, public core::controllable_if {
public:
    struct spec {
        gpu::multi_gpu_spec gpus;
        host::iommu::spec iommu;              // these two only with timed translation
        host::host_memory::spec host_memory;  //
        host::driver::spec driver;
        migration::page_migrator::spec migration;  // only with timed translation

        // Four GPUs on a switch; pages move to the GPUs that use them most.
        spec();
        // Also for the description of an experiment. Keys without a meaning for several GPUs (placement by first touch,
        // the order of CTAs over sockets) are not offered.
        template <class S> static void describe(config::fields<S>& f);
        core::sim_time cycle() const { return gpus.gpu.cycle(); }
    };
    // Throws std::invalid_argument if the specification has a problem.
    unified_machine(core::scheduler& events, observe::statistics& statistics, const spec& s,
                    core::sim_time series_window = core::sim_time::from_us(5),
                    const link::lane_set_factory& controllers = {});
    ~unified_machine() override;

    gpu::multi_gpu& gpus() { return *gpus_; }
    host::driver& driver() { return *driver_; }
    // Null if translation takes no time.
    memory::radix_table* table() { return translation_ ? &translation_->table : nullptr; }
    host_memory* tables_home() { return translation_ ? &translation_->home : nullptr; }
    host::iommu* iommu() { return translation_ ? &translation_->walker : nullptr; }
    // Null if pages never move.
    migration::page_migrator* migrator() { return migrator_.get(); }
    shootdown_everywhere* shootdowns() { return translation_ ? &*translation_->shootdowns : nullptr; }

    // For a watchdog: a count that grows with progress, and the work that has begun and not ended.
    std::uint64_t moved() const;
    bool computing() const { return gpus_->computing(); }  // then time that passes is progress
    std::uint64_t outstanding() const;
    std::uint64_t payloads_in_flight() const;
    bool idle() const;
    void settle() { gpus_->settle(); }
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Pause, drain and enable act on the driver and on new work of GPUs; work in progress is completed. Invalidate acts
    // on caches, TLBs and the caches of walkers. A reset ends commands with an error; memory and page tables keep their
    // contents.
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

    memory::payload_pool payloads_;  // payloads of walks
    std::unique_ptr<translation> translation_;
    std::unique_ptr<gpu::multi_gpu> gpus_;
    std::unique_ptr<migration::page_migrator> migrator_;  // outlives the driver, whose commands give pages back to it
    std::unique_ptr<host::driver> driver_;
};

// Conflicts between its values, with the paths of its description.
std::vector<config::problem> problems_of(const unified_machine::spec& s);

template <class S> void unified_machine::spec::describe(config::fields<S>& f) {
    gpu::gpu_spec::describe_machine<gpu::network_spec, gpu::launch_costs>(
        f, [](const S& s) -> const gpu::gpu_spec& { return s.gpus.gpu; });
    f(
        "rdma", [](const S& s) -> auto& { return s.gpus.gpu.rdma; })
        .text("a GPU's engine at the network");
    f(
        "processor", [](const S& s) -> auto& { return s.gpus.processor; })
        .text("what the driver talks to in a GPU");
    f(
        "translation", [](const S& s) -> auto& { return s.gpus.translation; })
        .text("how the units' virtual addresses become physical ones");
    f("iommu", &spec::iommu).text("with timed translation: the unit that walks page tables for all GPUs");
    f("host_memory", &spec::host_memory).text("with timed translation: where the page tables stand");
    f(
        "host_port", [](const S& s) -> auto& { return s.gpus.host; })
        .text("with network.kind pcie: the host in the tree");
    f("driver", &spec::driver).text("who allocates, copies and launches");
    f("migration", &spec::migration).text("which pages move from GPU to GPU, and how");
    f(
        "page_migration_controller", [](const S& s) -> auto& { return s.gpus.migration; })
        .text("the engine of a GPU that brings pages to it");
    f(
        "access_counters", [](const S& s) -> auto& { return s.gpus.counters; })
        .text("counters of a GPU's accesses to pages of others");
    f.renamed("counters", "access_counters");
}

}  // namespace contraflow::host
