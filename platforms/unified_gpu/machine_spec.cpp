// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/machine_spec.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::unified_gpu {

void gpu_parts::describe(config::fields<gpu_parts>& f) {
    f("units", &gpu_parts::units).in(1, 256).text("compute units");
    f("clock", &gpu_parts::clock)
        .in(core::frequency{1e6}, core::frequency{1e12})
        .text("of units, caches, crossbar, TLBs and links");
    f("coherence", &gpu_parts::coherence)
        .text("memory_side: the second level holds lines of its own GPU's memory only; remote_caching: others' as "
              "well, written through and invalidated when a kernel begins");
    f("unit", &gpu_parts::unit).text("a compute unit");
    f("l1", &gpu_parts::l1).text("the cache of a compute unit");
    f("l2", &gpu_parts::l2).text("the second level");
    f("crossbar", &gpu_parts::crossbar).text("from units to banks and to the RDMA engine");
    f("rdma_ports", &gpu_parts::rdma_ports)
        .in(1, 64)
        .text("ports of the crossbar to and from the RDMA engine, for each first link of the network");
    f.renamed("bridge_ports", "rdma_ports");
    f("dram", &gpu_parts::dram).text("the memory");
    f("check_protocol", &gpu_parts::check_protocol)
        .text("whether every transaction is checked against the rules of the TLM-2.0 base protocol; slow");
}

void launch_parts::describe(config::fields<launch_parts>& f) {
    constexpr core::cycles longest{1'000'000'000};
    f("cost", &launch_parts::cost)
        .in(core::cycles{0}, longest)
        .text("from a launch's coming to a GPU, or the end of what ran there before, to the first CTA");
    f("cta_interval", &launch_parts::cta_interval)
        .in(core::cycles{0}, longest)
        .text("between the starts of two CTAs in one GPU");
}

// Lanes that turn are numa_gpu's question; here they stand still unless that is asked for.
network_parts::network_parts() {
    link.lanes.policy = "static";
    link.queue = 64;
}

void network_parts::describe(config::fields<network_parts>& f) {
    f("kind", &network_parts::kind)
        .text("what joins the GPUs: a PCIe tree, or links: to a switch, between all pairs, in a ring, in rows and "
              "columns (mesh), the same with a ring in each (torus), or in a tree of switches; all_pairs is an older "
              "name of fully_connected");
    f("mesh_columns", &network_parts::mesh_columns)
        .in(0, 64)
        .unit("GPUs")
        .text("in a row of a mesh or torus; 0: as near to a square as whole rows allow");
    f("mesh_rows", &network_parts::mesh_rows)
        .in(0, 64)
        .unit("GPUs")
        .text("in a column of a plane of a mesh or torus; 0: there is one plane");
    f("tree_arity", &network_parts::tree_arity).in(2, 64).text("GPUs or switches below each switch of a tree");
    f("link", &network_parts::link).text("each link, of any kind but pcie");
    f("pcie", &network_parts::pcie).text("the PCIe tree, of kind pcie");
}

gpu::network_spec network_parts::built() const {
    gpu::network_spec s;
    s.link = link;
    s.mesh_columns = mesh_columns;
    s.mesh_rows = mesh_rows;
    s.tree_arity = tree_arity;
    switch (kind) {
    case network_kind::pcie: s.pcie = pcie; break;
    case network_kind::central_switch: s.topology = net::topology::central_switch; break;
    case network_kind::fully_connected: s.topology = net::topology::fully_connected; break;
    case network_kind::ring: s.topology = net::topology::ring; break;
    case network_kind::mesh: s.topology = net::topology::mesh; break;
    case network_kind::torus: s.topology = net::topology::torus; break;
    case network_kind::tree: s.topology = net::topology::tree; break;
    }
    return s;
}

std::string network_name(network_kind k) {
    switch (k) {
    case network_kind::pcie: return "a PCIe tree";
    case network_kind::central_switch: return "a switch";
    case network_kind::fully_connected: return "a link for each pair";
    case network_kind::ring: return "a ring";
    case network_kind::torus: return "a torus";
    case network_kind::tree: return "a tree of switches";
    case network_kind::mesh: break;
    }
    return "a mesh";
}

machine_spec::machine_spec() {
    translation.mode = gpu::translation_mode::timed;
    migration.when.policy = host::migration::policy_kind::access_count;
    migration.when.ping_pong.moves = 4;
}

host::unified_machine::spec machine_spec::built() const {
    host::unified_machine::spec s;
    s.gpus.gpu = gpu;
    s.gpus.gpu.sockets = gpus;
    s.gpus.gpu.pages.page_size = page_size;
    s.gpus.gpu.dispatcher.launch_cost = launch.cost;
    s.gpus.gpu.dispatcher.cta_interval = launch.cta_interval;
    s.gpus.gpu.network = network.built();
    s.gpus.gpu.rdma = rdma;
    s.gpus.processor = processor;
    s.gpus.translation = translation;
    s.gpus.migration = puller;
    s.gpus.counters = counters;
    s.iommu = iommu;
    s.memory = host_memory;
    s.driver = driver;
    s.migration = migration;
    return s;
}

namespace {

struct renamed {
    std::string_view theirs, ours;
};
// What the machine calls it, and where it stands here; the first that fits.
constexpr std::array names{
    renamed{"gpu.sockets", "gpus"},
    renamed{"gpu.network.topology", "network.kind"},
    renamed{"gpu.network.", "network."},
    renamed{"gpu.pages.page_size", "page_size"},
    renamed{"gpu.dispatcher.launch_cost", "launch.cost"},
    renamed{"gpu.dispatcher.", "launch."},
    renamed{"gpu.rdma.", "rdma."},
};

std::string path_here(const std::string& path) {
    for (const renamed& n : names)
        if (path.starts_with(n.theirs)) return std::string(n.ours) + path.substr(n.theirs.size());
    return path;
}

}  // namespace

std::vector<config::problem> problems_of(const machine_spec& s) {
    auto found = problems_of(s.built().gpus);
    for (auto& p : found)
        for (auto& suspect : p.suspects) suspect.path = path_here(suspect.path);
    constexpr core::bytes least{memory::table_levels * memory::table_bytes};
    if (s.translation.mode == gpu::translation_mode::timed && s.host_memory.dram.size < least)
        found.push_back({fmt::format("the host's memory, {}, has not even room for a page table of each level",
                                     to_text(s.host_memory.dram.size)),
                         {{"host_memory.dram.size", "at least " + to_text(least)}, {"translation.mode", "instant"}}});
    return found;
}

}  // namespace contraflow::unified_gpu
