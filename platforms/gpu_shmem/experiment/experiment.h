// SPDX-License-Identifier: Apache-2.0
// A configuration of gpu_shmem: the experiment, the nodes, who communicates, and the faults.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "host/cluster/queue_pair_cluster.h"
#include "observe/watchdog.h"
#include "shmem/programs/all_reduce.h"
#include "shmem/programs/bfs.h"
#include "shmem/programs/jacobi.h"
#include "shmem/programs/ping_pong.h"
#include "shmem/programs/put_latency.h"
#include "shmem/programs/scheme_run.h"
#include "shmem/programs/triangular_solve.h"

namespace contraflow::gpu_shmem {

using shmem::scheme;

enum class experiment_kind { put_latency, ping_pong, jacobi, triangular_solve, all_reduce, bfs, nodes, mistake };

// What a kernel may do wrong.
enum class mistake_kind : std::uint8_t {
    none,
    put_outside_heap,
    pe_out_of_range,
    doorbell_past_queue,
    completions_not_taken,
    two_contexts
};

struct put_spec {
    std::vector<core::bytes> sizes{core::bytes{4}};
    std::vector<unsigned> workgroups{1};
    unsigned puts = 8;
    unsigned threads = 64;
    bool without_templates = true;
    bool awaited = true;

    static void describe(config::fields<put_spec>& f);
};

struct all_reduce_spec {
    std::vector<core::bytes> sizes{core::bytes{64u << 10}, core::bytes{1u << 20}};
    std::vector<shmem::reduction_way> ways{shmem::reduction_way::ring, shmem::reduction_way::tree};
    core::bytes chunk{32u << 10};
    unsigned workgroups = 8, threads = 256;

    static void describe(config::fields<all_reduce_spec>& f);
};

// A PE that dies.
struct dead_pe {
    core::sim_time at{};
    unsigned pe = 0;

    static void describe(config::fields<dead_pe>& f);
};

struct experiment {
    experiment_kind kind = experiment_kind::put_latency;
    host::queue_pair_cluster::spec cluster;
    std::vector<unsigned> on_nodes;
    std::vector<scheme> schemes{
        scheme::gio, scheme::ikn, scheme::inter_k, scheme::inter_k_empty, scheme::inter_k_overlap, scheme::cpu};
    shmem::spec shmem;
    shmem::host_process::spec host;
    put_spec puts;
    shmem::ping_pong::spec ping_pong;
    shmem::jacobi::spec jacobi;
    bool strong = false;
    shmem::triangular_solve::spec triangular_solve;
    all_reduce_spec all_reduce;
    shmem::bfs::spec bfs;
    mistake_kind mistake = mistake_kind::none;
    std::vector<dead_pe> dead;
    core::sim_time watchdog = observe::watchdog_key::usual;
    std::uint64_t seed = 1;

    experiment() {
        cluster.nodes = 4;
        cluster.node.nic.retry_after = core::sim_time::from_us(100);  // so that the watchdog can wait for it
        shmem.heap = {};
    }
    static void describe(config::fields<experiment>& f);
};

// One run of puts, in order of the report.
struct put_variant {
    scheme how = scheme::gio;
    bool templates = true;
    core::bytes size;
    unsigned workgroups = 1;

    std::string text() const;  // "gio, no templates"
};
std::vector<put_variant> put_variants_of(const experiment& e);
// For programs that compute: not kernels that do nothing.
std::vector<scheme> computing_schemes_of(const experiment& e);

// One run of a program on several numbers of nodes, in order of the report: scheme by scheme.
struct program_variant {
    scheme how = scheme::gio;
    unsigned nodes = 2;

    std::string text() const;  // "gio, 4 nodes"
};
// For programs that compute, by all schemes that do.
std::vector<program_variant> variants_of(const experiment& e);
// For programs that put whenever data are ready: by kernels only.
std::vector<program_variant> kernel_variants_of(const experiment& e);
struct all_reduce_variant : program_variant {
    shmem::reduction_way way = shmem::reduction_way::ring;
    core::bytes size;

    std::string text() const;  // "ring, gio, 4 nodes, 64KiB"
};
std::vector<program_variant> adding_variants_of(const experiment& e);
std::vector<all_reduce_variant> all_reduce_variants_of(const experiment& e);
shmem::all_reduce::spec all_reduce_of(const experiment& e, const all_reduce_variant& v);
// The experiment on so many nodes, and no others; with strong scaling, a PE then has its share of the grid's rows.
experiment with_nodes(experiment e, unsigned nodes);

// What a run is made of.
host::queue_pair_cluster::spec cluster_of(const experiment& e);
shmem::scheme_run::spec scheme_of(const experiment& e, scheme how);
shmem::put_latency::spec puts_of(const experiment& e, const put_variant& v);
// With the length of the puts in the templates.
shmem::scheme_run::spec scheme_of(const experiment& e, const put_variant& v);

// In the keys of the configuration.
std::vector<config::problem> problems_of(const experiment& e);
// A part that turned out to be too small for what is to run, in these keys; none: it is another exception.
std::optional<config::problem> capacity_problem(const experiment& e, const std::exception& of);

}  // namespace contraflow::gpu_shmem

template <> struct contraflow::config::enum_names<contraflow::gpu_shmem::experiment_kind> {
    using e = contraflow::gpu_shmem::experiment_kind;
    static constexpr std::array names{std::pair{e::put_latency, "put_latency"},
                                      std::pair{e::ping_pong, "ping_pong"},
                                      std::pair{e::jacobi, "jacobi"},
                                      std::pair{e::triangular_solve, "triangular_solve"},
                                      std::pair{e::all_reduce, "all_reduce"},
                                      std::pair{e::bfs, "bfs"},
                                      std::pair{e::nodes, "nodes"},
                                      std::pair{e::mistake, "mistake"}};
};

template <> struct contraflow::config::enum_names<contraflow::gpu_shmem::mistake_kind> {
    using e = contraflow::gpu_shmem::mistake_kind;
    static constexpr std::array names{std::pair{e::none, "none"},
                                      std::pair{e::put_outside_heap, "put_outside_heap"},
                                      std::pair{e::pe_out_of_range, "pe_out_of_range"},
                                      std::pair{e::doorbell_past_queue, "doorbell_past_queue"},
                                      std::pair{e::completions_not_taken, "completions_not_taken"},
                                      std::pair{e::two_contexts, "two_contexts"}};
};
