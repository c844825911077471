// SPDX-License-Identifier: Apache-2.0
#include "gpu/ppb/ppb_spec.h"

#include <bit>
#include <stdexcept>

#include "memory/cache/replacement.h"
#include "memory/transaction/payload.h"

namespace contraflow::gpu {

void ppb_spec::describe(config::fields<ppb_spec>& f) {
    f("read_cache", &ppb_spec::read_cache)
        .in(core::bytes{32}, core::bytes{1u << 30})
        .text("bytes of GPU memory that the block keeps for reads over PCIe; a whole number of sets");
    f("ways", &ppb_spec::ways).in(1, memory::most_ways).text("lines of a set of the read cache");
    f("replacement", &ppb_spec::replacement)
        .check(memory::is_replacement, memory::known_replacements())
        .text("which line of a full set has to go");
    f("read_latency", &ppb_spec::read_latency)
        .in(core::cycles{1}, core::cycles{100'000})
        .text("time of a line that is in the read cache");
    f("reads", &ppb_spec::reads)
        .in(1, 4096)
        .unit("requests")
        .text("reads and atomic operations over PCIe that are not answered; more are held back on the link");
    f("fills", &ppb_spec::fills).in(1, 4096).unit("lines").text("lines under way from memory");
    f("combiner", &ppb_spec::combiner)
        .in(1, 4096)
        .unit("lines")
        .text("entries of the write combiner; writes over PCIe that find none are held back on the link");
    f("drain_after", &ppb_spec::drain_after)
        .in({}, core::sim_time::from_us(1'000'000))
        .text("time after its first write by which an entry is written to memory");
    f("order", &ppb_spec::order)
        .text("arrival: the oldest entry goes first, after drain_after; random: any, after any part of it");
    f("writes", &ppb_spec::writes).in(1, 4096).unit("lines").text("lines being written to memory");
    f("seed", &ppb_spec::seed).text("of the random order");
}

void ppb_spec::check() const {
    if (reads == 0 || combiner == 0 || writes == 0)
        throw std::invalid_argument("path_block: reads, combiner and writes are at least 1");
    if (line.count < 32 || line.count > memory::payload::max_bytes || !std::has_single_bit(line.count))
        throw std::invalid_argument("path_block: a line is a power of two of 32 to 128 bytes");
    if (memory.count == 0 || memory.count % line.count != 0 || memory_base % line.count != 0)
        throw std::invalid_argument("path_block: the memory is no whole number of lines");
    if (cycle == core::sim_time{}) throw std::invalid_argument("path_block: a cycle takes time");
}

memory::cache_spec ppb_spec::cache() const {
    memory::cache_spec c;
    c.size = read_cache;
    c.line = line;
    c.ways = ways;
    c.replacement = replacement;
    c.mshrs = fills;
    c.mshr_targets = reads;
    c.queue = c.request_queue = 8;
    c.hit_latency = read_latency;
    c.fill_latency = {1};
    c.covers = memory::scope::system;
    c.cycle = cycle;
    c.level = memory::cache_level::l2;
    c.socket = socket;
    c.seed = seed;
    return c;
}

}  // namespace contraflow::gpu
