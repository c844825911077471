// SPDX-License-Identifier: Apache-2.0
// The machine of a configuration: what each GPU is made of, what joins them, who translates and who moves pages. Keys
// that say nothing about a machine of several GPUs (which socket is first to touch a page, which one a CTA goes to) are
// not offered.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/problem.h"
#include "host/system/unified_machine.h"

namespace contraflow::unified_gpu {

// Of a gpu_spec, what one GPU is made of.
struct gpu_parts : gpu::gpu_spec {
    static void describe(config::fields<gpu_parts>& f);
};

// What a launch costs the GPU.
struct launch_parts {
    core::cycles cost{2000};
    core::cycles cta_interval{1};
    static void describe(config::fields<launch_parts>& f);
};

enum class network_kind { pcie, central_switch, fully_connected, ring, mesh, torus, tree };

struct network_parts {
    network_kind kind = network_kind::central_switch;
    unsigned mesh_columns = 0;
    unsigned mesh_rows = 0;
    unsigned tree_arity = 2;
    link::link_spec link;
    gpu::pcie_network_spec pcie;

    network_parts();
    static void describe(config::fields<network_parts>& f);
    gpu::network_spec built() const;
};

struct machine_spec {
    unsigned gpus = 4;
    gpu_parts gpu;
    launch_parts launch;
    core::bytes page_size{4096};
    network_parts network;
    gpu::rdma_spec rdma{32, {8}};
    gpu::command_processor::spec processor;
    gpu::gpu_translation::spec translation;
    host::iommu::spec iommu;
    host::host_memory::spec host_memory;
    host::driver::spec driver;
    host::migration::page_migrator::spec migration;
    gpu::page_migration_controller::spec puller;
    gpu::access_counters::spec counters;

    machine_spec();
    host::unified_machine::spec built() const;
    core::sim_time cycle() const { return gpu.cycle(); }
};

// What is wrong between its values, in paths of a configuration.
std::vector<config::problem> problems_of(const machine_spec& s);

// "a switch", "PCIe"
std::string network_name(network_kind k);

}  // namespace contraflow::unified_gpu

template <> struct contraflow::config::enum_names<contraflow::unified_gpu::network_kind> {
    using e = contraflow::unified_gpu::network_kind;
    static constexpr std::array names{std::pair{e::pcie, "pcie"},
                                      std::pair{e::central_switch, "switch"},
                                      std::pair{e::fully_connected, "fully_connected"},
                                      std::pair{e::ring, "ring"},
                                      std::pair{e::mesh, "mesh"},
                                      std::pair{e::torus, "torus"},
                                      std::pair{e::tree, "tree"},
                                      std::pair{e::fully_connected, "all_pairs"}};  // its older name
};
