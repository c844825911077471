// SPDX-License-Identifier: Apache-2.0
// The parameters of a NUMA GPU: its sockets, their parts, and the network between them. Defaults of the study:
// "Asymmetric Links for TMS-GPUs" (4 sockets, 1 GHz, contiguous CTAs, first touch); sizes and latencies of the Volta
// class, assumed.
#pragma once

#include <concepts>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "gpu/compute_unit/compute_unit_spec.h"
#include "gpu/compute_unit/shader_array_spec.h"
#include "gpu/dispatch/cta_dispatcher.h"
#include "gpu/network/network_spec.h"
#include "gpu/rdma/rdma_spec.h"
#include "memory/cache/cache_spec.h"
#include "memory/crossbar/crossbar_spec.h"
#include "memory/dram/dram_spec.h"
#include "memory/fabric/data_fabric.h"
#include "memory/vm/page_table.h"

namespace contraflow::gpu {

enum class coherence {
    // A second-level cache holds only lines of its own socket's memory: a line is up to date in one place.
    memory_side,
    // Part of the second level holds lines of other sockets' memory: reads may hit there, writes and atomic operations
    // go through to the home. These lines are invalidated when a kernel begins.
    remote_caching,
};

// What happens to the second level at a kernel's end.
enum class kernel_end {
    keep,   // its lines stay
    empty,  // newer bytes are written back, and all lines leave
};

struct second_level_spec {
    unsigned banks = 16;
    memory::cache_spec bank;
    unsigned remote_ways = 8;

    second_level_spec();
    static void describe(config::fields<second_level_spec>& f);
};

// The parts of one GPU.
struct gpu_parts {
    unsigned units = 16;
    core::frequency clock{1e9};
    gpu::coherence coherence = coherence::memory_side;
    compute_unit_spec unit;
    shader_array_spec shader_array;
    memory::cache_spec l1;
    second_level_spec l2;
    memory::crossbar_spec crossbar;
    unsigned rdma_ports = 8;
    memory::dram_choice dram;
    bool check_protocol = false;

    gpu_parts();
    // Also describes the parts inside a larger description.
    template <std::derived_from<gpu_parts> S> static void describe(config::fields<S>& f);
    core::sim_time cycle() const { return clock.time_of({1}); }
};

// GPUs and the network between them.
struct gpu_spec : gpu_parts {
    unsigned sockets = 4;
    memory::page_table::spec pages;
    cta_dispatcher::spec dispatcher;
    network_spec network;
    rdma_spec rdma;  // not configured where the links are studied, because the links' queues stand for all of them

    // Set by the machine, not by a configuration: ports of the crossbar for clients other than the units (a DMA engine,
    // a page migration controller), one to I/O, the fabric before the crossbar (none if it does not reorder), and what
    // happens to the second level at a kernel's end.
    unsigned client_ports = 1;
    bool io_port = false;
    memory::data_fabric_spec fabric;
    gpu::kernel_end kernel_end = gpu::kernel_end::keep;

    gpu_spec();
    // The machine's keys, into the description of what holds it; `machine` leads there from an S. Network and Launch
    // are those parts, or what a user of the machine may set of them.
    template <class Network, class Launch, class S, class Machine>
    static void describe_machine(config::fields<S>& f, Machine machine);
    // And where a page and a CTA go, for sockets that share one program without a driver.
    template <class S, class Machine> static void describe_sockets(config::fields<S>& f, Machine machine);
    // The caches as they are built, without values that the machine sets; remote_bank() only with remote_caching.
    memory::cache_spec own_bank() const;
    memory::cache_spec remote_bank(unsigned of) const;  // one of that many
    // The end of each memory, for the code and the arguments of kernels.
    core::bytes kept_for_code() const;
    unsigned shader_arrays() const {
        return shader_array.present() ? (units + shader_array.units - 1) / shader_array.units : 0;
    }
    bool caches_remote() const { return coherence == coherence::remote_caching && sockets > 1; }
};

template <std::derived_from<gpu_parts> S> void gpu_parts::describe(config::fields<S>& f) {
    f("units", &S::units).in(1, 256).text("compute units of a GPU");
    f("clock", &S::clock)
        .in(core::frequency{1e6}, core::frequency{1e12})
        .text("clock of units, caches, crossbar, TLBs and links");
    f("coherence", &S::coherence)
        .text("memory_side: the second level holds lines of its own GPU's memory only; remote_caching: others' as "
              "well, written through and invalidated when a kernel begins");
    f("unit", &S::unit).text("a compute unit");
    f("shader_array", &S::shader_array).text("what neighbouring compute units share");
    f("l1", &S::l1).text("the cache of a compute unit");
    f("l2", &S::l2).text("the second level of a GPU");
    f("crossbar", &S::crossbar).text("the path from a GPU's units to its banks and to the network");
    f("rdma_ports", &S::rdma_ports)
        .in(1, 64)
        .text("ports of the crossbar to and from the network, for each first link");
    f.renamed("bridge_ports", "rdma_ports");
    f("dram", &S::dram).text("a GPU's memory");
    f("check_protocol", &S::check_protocol)
        .text("whether every transaction is checked against the rules of the TLM-2.0 base protocol; slow");
}

template <class Network, class Launch, class S, class Machine>
void gpu_spec::describe_machine(config::fields<S>& f, Machine machine) {
    f(
        "gpus", [machine](const S& s) -> auto& { return machine(s).sockets; })
        .in(1, 16)
        .text("number of GPUs, or of the sockets of one");
    f("gpu", [machine](const S& s) -> const gpu_parts& { return machine(s); }).text("what each is made of");
    f("launch", [machine](const S& s) -> const Launch& {
        return machine(s).dispatcher;
    }).text("costs of a kernel's launch");
    f(
        "page_size", [machine](const S& s) -> auto& { return machine(s).pages.page_size; })
        .in(core::bytes{4096}, core::bytes{2u << 20})
        .power_of_two()
        .text("size of what lies in one GPU's memory together; with timed translation 4KiB, 64KiB or 2MiB");
    f("network", [machine](const S& s) -> const Network& { return machine(s).network; }).text("what joins the GPUs");
    f.renamed("gpu.sockets", "gpus");
    f.renamed("gpu.dispatcher", "launch");
    f.renamed("gpu.dispatcher.launch_cost", "launch.cost");
    f.renamed("gpu.pages.page_size", "page_size");
    f.renamed("gpu.network", "network");
    f.renamed("gpu.network.topology", "network.kind");
}

template <class S, class Machine> void gpu_spec::describe_sockets(config::fields<S>& f, Machine machine) {
    describe_machine<net::network_spec, cta_dispatcher::spec>(f, machine);
    f(
        "placement", [machine](const S& s) -> auto& { return machine(s).pages.placement; })
        .text("the socket a page is put into: of its first user, or each in turn");
    f.renamed("gpu.pages.placement", "placement");
}

// Conflicts between its fields, in the keys of describe_machine.
std::vector<config::problem> problems_of(const gpu_spec& s);

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::coherence> {
    static constexpr std::array names{std::pair{contraflow::gpu::coherence::memory_side, "memory_side"},
                                      std::pair{contraflow::gpu::coherence::remote_caching, "remote_caching"}};
};
