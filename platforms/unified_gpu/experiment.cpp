// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/experiment.h"

#include <numeric>

namespace contraflow::unified_gpu {

void experiment::describe(config::fields<experiment>& f) {
    f("gpus", &machine_spec::gpus).in(1, 16).text("how many there are; they are numbered from 1");
    f("gpu", &machine_spec::gpu).text("what each is made of");
    f("launch", &machine_spec::launch).text("what a kernel's launch costs a GPU");
    f("page_size", &machine_spec::page_size)
        .in(core::bytes{4096}, core::bytes{2u << 20})
        .power_of_two()
        .text("what is translated, and moves, together; with timed translation 4KiB, 64KiB or 2MiB");
    f("network", &machine_spec::network).text("what joins the GPUs");
    f("rdma", &machine_spec::rdma).text("a GPU's engine at the network");
    f("processor", &machine_spec::processor).text("what the driver talks to in a GPU");
    f("translation", &machine_spec::translation).text("how the units' virtual addresses become physical ones");
    f("iommu", &machine_spec::iommu).text("with timed translation: walks page tables for all GPUs");
    f("host_memory", &machine_spec::host_memory).text("with timed translation: where the page tables stand");
    f("driver", &machine_spec::driver).text("who allocates, copies and launches");
    f("migration", &machine_spec::migration).text("which pages move from GPU to GPU, and how");
    f("page_migration_controller", &machine_spec::puller).text("of a GPU: what brings pages to it");
    f("access_counters", &machine_spec::counters).text("of a GPU's accesses to pages of others");

    f("execution", &experiment::execution)
        .text("one: every kernel on the first member; split: the host cuts every kernel into a launch for each member; "
              "unified: one launch on a GPU that stands for all members");
    f("memory", &experiment::memory)
        .text("discrete: an array in a run of pages on each member, with copies from and to the host; unified: its "
              "pages go round all members, and the host reads and writes in place");
    f("members", &experiment::members).text("GPUs that the program uses; none: all");
    describe_programs(f,
                      "a run each. one_gpu: one GPU with all pages; dca: pages stay, GPUs reach across; migrate: pages "
                      "move as `migration` says; first_touch, access_count, always: the same with this policy; "
                      "duplicate: as always, but what is only read is copied");
    describe_run(f, "of what the report shows over time", "what --trace shows, of the last run that is compared");
}

std::vector<unsigned> members_of(const experiment& e) {
    if (!e.members.empty()) return e.members;
    std::vector<unsigned> all(e.gpus);
    std::iota(all.begin(), all.end(), 1u);
    return all;
}

}  // namespace contraflow::unified_gpu
