// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_spec.h"

namespace contraflow::gpu {

second_level_spec::second_level_spec() {
    bank.size = {256u << 10};
    bank.ways = 16;
    bank.writes = memory::write_policy::back;
    bank.atomics = memory::atomics_at::here;
    bank.covers = memory::scope::system;
    bank.level = memory::cache_level::l2;
    bank.queue = 16;
    bank.request_queue = 16;
    bank.hit_latency = {40};
}

// The way through the crossbar makes most of the latency of the second level: about 190 cycles from the unit, and twice
// as much from memory. Queues hold what the latency times a flit a cycle needs.
gpu_spec::gpu_spec() {
    crossbar.latency = crossbar.response_latency = {65};
    crossbar.queue = crossbar.response_queue = 32;
    dram.overhead = core::sim_time::from_ns(180);
    // Stands for all buffers on the way to a link: what waits for a link waits here, and is seen to, before it fills
    // the crossbar.
    network.link.queue = 1024;
}

void second_level_spec::describe(config::fields<second_level_spec>& f) {
    f("banks", &second_level_spec::banks).in(1, 256).text("banks of a socket, each with a port of the crossbar");
    f("bank", &second_level_spec::bank).text("one bank");
    f("remote_ways", &second_level_spec::remote_ways)
        .in(1, 63)
        .text("with coherence remote_caching: of the ways of a bank, those that hold other sockets' lines");
}

void gpu_spec::describe(config::fields<gpu_spec>& f) {
    f("sockets", &gpu_spec::sockets).in(1, 8).text("GPU sockets");
    f("units", &gpu_spec::units).in(1, 256).text("compute units of a socket");
    f("clock", &gpu_spec::clock)
        .in(core::frequency{1e6}, core::frequency{1e12})
        .text("of units, caches, crossbar and links");
    f("coherence", &gpu_spec::coherence)
        .text("memory_side: the second level holds its own socket's lines only; remote_caching: others' as well, "
              "written through and forgotten when a kernel begins");
    f("unit", &gpu_spec::unit).text("a compute unit");
    f("l1", &gpu_spec::l1).text("the cache of a compute unit");
    f("l2", &gpu_spec::l2).text("the second level of a socket");
    f("crossbar", &gpu_spec::crossbar).text("from a socket's units to its banks and to the links");
    f("bridge_ports", &gpu_spec::bridge_ports).in(1, 64).text("ports of the crossbar to and from each link");
    f("dram", &gpu_spec::dram).text("a socket's memory");
    f("pages", &gpu_spec::pages).text("where data comes to lie");
    f("dispatcher", &gpu_spec::dispatcher).text("which socket runs what, and what a launch costs");
    f("network", &gpu_spec::network).text("what joins the sockets");
    f("check_protocol", &gpu_spec::check_protocol)
        .text("whether every transaction is checked against the rules of the TLM-2.0 base protocol; slow");
}

namespace {

std::uint64_t sets_of(const memory::cache_spec& c) { return c.size.count / (c.line.count * c.ways); }

}  // namespace

memory::cache_spec gpu_spec::own_bank() const {
    memory::cache_spec c = l2.bank;
    if (!caches_remote()) return c;
    c.ways -= l2.remote_ways;
    c.size = {sets_of(l2.bank) * c.ways * c.line.count};
    return c;
}

memory::cache_spec gpu_spec::remote_bank(unsigned of) const {
    memory::cache_spec c = l2.bank;
    c.ways = l2.remote_ways;
    c.size = {sets_of(l2.bank) * l2.banks / of * c.ways * c.line.count};
    c.writes = memory::write_policy::through;
    c.atomics = memory::atomics_at::next;
    c.covers = memory::scope::device;
    return c;
}

}  // namespace contraflow::gpu
