// SPDX-License-Identifier: Apache-2.0
// The run of one program on all nodes, and what it leaves.
#pragma once

#include <string>
#include <vector>

#include "node_programs/node_program_if.h"
#include "torus_nic/nodes/node_bench.h"

namespace contraflow::torus_nic {

struct program_result : node_result {
    program_choice program;
    core::sim_time time{};  // from the start of the programs to the end of the last one
    std::string operation;
    node_programs::program_counts counts;
};

program_result run_program(const experiment& e, const program_choice& p, const runner::limits& limits,
                           const run_view& view = {});
// Programs that cannot run on these nodes, and what to change.
std::vector<config::problem> problems_of(const program_spec& s, const host::rdma_node_spec& node,
                                         const net::torus_spec& torus);

}  // namespace contraflow::torus_nic
