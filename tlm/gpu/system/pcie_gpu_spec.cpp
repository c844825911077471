// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/pcie_gpu_spec.h"

namespace contraflow::gpu {

// Vendor's data of the MI25 ("Radeon Instinct MI25 accelerator", AMD 2017; "Vega" ISA and white paper): 64 compute
// units of four SIMDs, 1.5 GHz at most, 4 MiB of second level in lines of 64 bytes, 16 GB of HBM2 at 484 GB/s in two
// stacks of eight channels of two pseudo channels, PCIe 3.0 x16 (a property of its link, not of these values). A
// compute unit has 64 KiB of local data share, 16 KiB of vector cache and room for 40 wavefronts of 64 threads, which
// are 80 of the model's 32. Ways, banks of the second level, all latencies, and that addresses are hashed over channels
// are assumed.
pcie_gpu_spec pcie_gpu_spec::of(gpu_model m) {
    pcie_gpu_spec s;
    if (m == gpu_model::volta) return s;
    s.units = 64;
    s.clock = core::frequency{1.5e9};
    s.unit.wave_slots = 80;
    s.unit.cta_slots = 40;
    s.unit.scratchpad = {64u << 10};
    s.unit.schedulers = 4;
    s.l1.size = {16u << 10};
    s.l1.line = s.l2.bank.line = {64};
    s.l1.ways = 4;
    s.l2.banks = 16;
    s.l2.bank.size = {256u << 10};
    s.l2.bank.ways = 16;
    s.dram.take(memory::dram_kind::hbm2);
    s.dram.size = {std::uint64_t{16} << 30};
    s.dram.channels = 32;
    s.dram.channel_bandwidth = core::bandwidth::from_gb_per_s(484.0 / 32);
    s.dram.hashed = true;
    s.ppb.fills = s.ppb.writes = 64;  // lines are half as long
    // Fitted (docs/assumptions.md): a put of 4 bytes by a kernel takes 5.15 us.
    s.uncached_store = core::sim_time::from_ns(35);
    return s;
}

void pcie_gpu_spec::describe(config::fields<pcie_gpu_spec>& f) {
    gpu_parts::describe(f);
    constexpr core::sim_time longest = core::sim_time::from_us(1'000'000);
    f("page_size", &pcie_gpu_spec::page_size)
        .in(core::bytes{4096}, core::bytes{2u << 20})
        .power_of_two()
        .text("what is cached or uncached together");
    f("launch", &pcie_gpu_spec::launch)
        .in({}, longest)
        .text("from the launch of a kernel to its first CTA; one that is launched before another has ended begins at "
              "that end, at the earliest");
    f("teardown", &pcie_gpu_spec::teardown)
        .in({}, longest)
        .text("from a kernel's end in the GPU, with its caches written back, until the host knows; the next one may "
              "run meanwhile");
    f("uncached_store", &pcie_gpu_spec::uncached_store)
        .in({}, longest)
        .text("from the moment when a store to an uncached page or a bus address has taken effect until its wavefront "
              "knows");
    f("fabric", &pcie_gpu_spec::fabric).text("the data fabric before the memory, as far as it reorders");
    f("ppb", &pcie_gpu_spec::ppb).text("the PCIe path block");
    f("io", &pcie_gpu_spec::io).text("the way of threads to bus addresses");
}

gpu_spec pcie_gpu_spec::machine() const {
    gpu_spec g;
    static_cast<gpu_parts&>(g) = *this;
    g.sockets = 1;
    g.pages.page_size = page_size;
    const auto cycles = [this](core::sim_time t) { return core::cycles{(t.ps + cycle().ps / 2) / cycle().ps}; };
    g.dispatcher.launch_cost = cycles(launch);
    g.dispatcher.teardown = cycles(teardown);
    g.dispatcher.queued = true;
    g.unit.uncached_store = uncached_store;
    g.client_ports = 2;  // the host's, and the path block's
    g.io_port = true;
    g.fabric = fabric;
    g.kernel_end = kernel_end::empty;
    return g;
}

ppb_spec pcie_gpu_spec::path_block() const {
    ppb_spec p = ppb;
    p.line = l1.line;
    p.memory = dram.size;
    p.memory_base = 0;
    p.cycle = cycle();
    p.socket = 0;
    return p;
}

std::vector<config::problem> problems_of(const pcie_gpu_spec& s) {
    if (s.cycle() == core::sim_time{})
        return {{"a cycle is shorter than the picosecond in which time is counted",
                 {{"gpu.clock", "at most " + core::to_text(core::frequency{1e12})}}}};
    auto found = problems_of(s.machine());
    const core::bytes set = s.l1.line * s.ppb.ways;
    if (s.ppb.read_cache.count == 0 || s.ppb.read_cache.count % set.count != 0)
        found.push_back(
            {"the path block's read cache is no whole number of sets",
             {{"gpu.ppb.read_cache", "a multiple of " + core::to_text(set)}, {"gpu.ppb.ways", "a divisor"}}});
    return found;
}

void pcie_gpu_choice::describe(config::fields<pcie_gpu_choice>& f) {
    f("preset", &pcie_gpu_choice::preset).text("GPU that gives the values of all other keys");
}

}  // namespace contraflow::gpu
