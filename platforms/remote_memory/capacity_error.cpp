// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/capacity_error.h"

#include <fmt/format.h>

#include "host/driver/address_space.h"
#include "memory/vm/radix_table.h"
#include "study/capacity_error.h"
#include "traces/replay.h"

namespace contraflow::remote_memory {

namespace {

using core::to_text;

config::problem problem_of(const host::gpu_memory_full& e, const workloads::selection& w,
                           const host::unified_machine::spec& machine) {
    const core::bytes enough{machine.gpus.gpu.dram.size.count + e.wanted().count - e.free().count};
    config::problem p{
        fmt::format("{}: an array takes {} of GPU {}, of whose {} only {} are free", w.name(), to_text(e.wanted()),
                    e.gpu(), to_text(machine.gpus.gpu.dram.size), to_text(e.free())),
        {{"gpu.dram.size", fmt::format("at least {}, and more where further arrays follow", to_text(enough))},
         {"workload", "smaller parameters"}}};
    if (machine.gpus.gpu.sockets == 1)
        p.suspects.push_back({"compare", "without one_gpu, whose memory holds all pages"});
    return p;
}

config::problem problem_of(const memory::table_full& e, const workloads::selection& w) {
    return {fmt::format("{}: the page tables do not fit into the host's memory, {}", w.name(), to_text(e.has())),
            {{"host_memory.dram.size", fmt::format("more than {}", to_text(e.has()))},
             {"page_size", "larger pages, which need fewer tables"},
             {"workload", "smaller parameters"}}};
}

config::problem problem_of(const traces::rights_not_kept& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()),
            {{"translation.mode", "timed"}, {"workload.file", "a trace without read_only arrays"}}};
}

}  // namespace

std::optional<config::problem> capacity_problem(const std::exception& e, const workloads::selection& w,
                                                const host::unified_machine::spec& machine) {
    if (const auto* full = dynamic_cast<const host::gpu_memory_full*>(&e)) return problem_of(*full, w, machine);
    if (const auto* tables = dynamic_cast<const memory::table_full*>(&e)) return problem_of(*tables, w);
    if (const auto* rights = dynamic_cast<const traces::rights_not_kept*>(&e)) return problem_of(*rights, w);
    return study::capacity_problem(e, w, machine.gpus.gpu);
}

}  // namespace contraflow::remote_memory
