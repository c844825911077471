// SPDX-License-Identifier: Apache-2.0
// A program of all PEs by a scheme, as a bench of the runner.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/experiment/experiment.h"
#include "gpu_shmem/runs/cluster_view.h"
#include "gpu_shmem/runs/put_watch.h"
#include "runner/bench.h"
#include "runner/run.h"

namespace contraflow::gpu_shmem {

struct program_result : runner::run_outcome {
    core::sim_time time{};  // from the start on all PEs until the last one's last step has ended
    core::sim_time step{};  // mean without those of the warm-up: between the ends of steps, of the PE that is last
    std::optional<put_life> life;                              // of puts, where one workgroup of PE 0 puts
    std::uint64_t messages = 0, sent_again = 0, timeouts = 0;  // of all NICs
    std::uint64_t wire_bytes = 0;                              // that the NICs' links to the switch carried
    std::vector<std::string> waits;                            // explain(), at its end
    std::vector<pcie::address_map::row> addresses;             // the tree of a node; all nodes have the same one
};

// Runs the program. `whole`: its steps are timed on all PEs, otherwise on PE 0. The view may show nothing.
program_result run_program(const experiment& e, const shmem::scheme_run::spec& s,
                           std::unique_ptr<shmem::program_if> program, bool whole, const runner::limits& limits,
                           const run_view& view = {});

struct put_result : program_result {
    put_variant variant;
};
put_result run_puts(const experiment& e, const put_variant& v, const runner::limits& limits, const run_view& view = {});

struct scheme_result : program_result {
    scheme how = scheme::gio;
};
scheme_result run_ping_pong(const experiment& e, scheme how, const runner::limits& limits, const run_view& view = {});
scheme_result run_jacobi(const experiment& e, scheme how, const runner::limits& limits, const run_view& view = {});

struct scaled_result : program_result {
    program_variant variant;
    core::sim_time measured{};  // of a step, or of all
};
scaled_result run_jacobi_on(const experiment& e, const program_variant& v, const runner::limits& limits,
                            const run_view& view = {});
scaled_result run_triangular_solve(const experiment& e, const program_variant& v,
                                   const shmem::triangular_solve::triangle& lower, const runner::limits& limits,
                                   const run_view& view = {});

scaled_result run_bfs(const experiment& e, const program_variant& v, const shmem::bfs::shared_graph& graph,
                      const runner::limits& limits, const run_view& view = {});

struct all_reduce_result : program_result {
    all_reduce_variant variant;
};
all_reduce_result run_all_reduce(const experiment& e, const all_reduce_variant& v, const runner::limits& limits,
                                 const run_view& view = {});

// What a cluster of queue pairs has as progress: its network, entries that have ended, and what kernels store. A kernel
// that polls makes none.
std::uint64_t progress_of(host::queue_pair_cluster& cluster);
// Runs until the drivers have written their registers; the time is then 1 us at least.
void set_up(core::simulation& s);
// Of a run that has not come to its end: who polls what, queue pairs that have failed, and PEs that are dead.
std::vector<std::string> explain(const experiment& e, const core::waiter_if& software,
                                 host::queue_pair_cluster& cluster, core::sim_time now);
// At its time, nothing moves on that node's PCIe any more.
std::vector<runner::intervention> deaths(const experiment& e, host::queue_pair_cluster& cluster);

}  // namespace contraflow::gpu_shmem
