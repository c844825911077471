// SPDX-License-Identifier: Apache-2.0
#include "validate/unified_gpu/unified_setup.h"

#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "shipped_yaml.h"
#include "unified_gpu/experiment.h"
#include "validate/checked_run.h"
#include "validate/shipped_configuration.h"

namespace contraflow::validate {

host::unified_machine::spec few_units(unsigned gpu_count) {
    host::unified_machine::spec s;
    s.gpus.gpu.sockets = gpu_count;
    s.gpus.gpu.units = 2;
    s.migration.when.policy = host::migration::policy_kind::never;
    return s;
}

const host::unified_machine::spec& r9_nano() {
    static const host::unified_machine::spec shipped =
        shipped_configuration<unified_gpu::experiment>("r9_nano.yaml", r9_nano_yaml);
    return shipped;
}

unified_bench::unified_bench(const host::unified_machine::spec& s, const run_environment& environment)
    : bench(core::time_source::scheduler),
      machine(simulation.events(), statistics, s),
      environment_(environment) {}

unsigned unified_bench::everyone() {
    if (everyone_ == 0) {
        std::vector<unsigned> all(machine.gpus().gpus());
        std::iota(all.begin(), all.end(), 1u);
        everyone_ = process.create_unified_gpu(all);
    }
    return everyone_;
}

core::sim_time unified_bench::run(gpu::host_task program) {
    const core::sim_time begun = simulation.events().now();
    begin(std::move(program));
    finish();
    return simulation.events().now() - begun;
}

void unified_bench::finish() {
    run_to_its_end(*this, machine, "a program on several GPUs", environment_, [this] { machine.driver().rethrow(); });
}

host::command_queue& unified_bench::queue_on(unsigned number) {
    const unsigned before = process.selected_gpu();
    process.select_gpu(number);
    host::command_queue& queue = process.create_queue();
    process.select_gpu(before);
    return queue;
}

gpu::array<std::uint32_t> unified_bench::array_on(unsigned number, std::size_t words) {
    const unsigned before = process.selected_gpu();
    process.select_gpu(number);
    const auto array = process.allocate<std::uint32_t>(words);
    process.select_gpu(before);
    return array;
}

unsigned unified_bench::gpu_of(std::uint64_t address) {
    const auto page = machine.table()->find(process.process(), address);
    if (!page) throw std::runtime_error(fmt::format("no page at {:#x}", address));
    return machine.gpus().map().socket_of(page->physical_page) + 1;
}

}  // namespace contraflow::validate
