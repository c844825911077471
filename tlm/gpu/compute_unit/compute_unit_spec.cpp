// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/compute_unit_spec.h"

#include <bit>
#include <stdexcept>

#include "gpu/kernel/bank_load.h"
#include "memory/transaction/payload.h"

namespace contraflow::gpu {

void compute_unit_spec::describe(config::fields<compute_unit_spec>& f) {
    f("wave_slots", &compute_unit_spec::wave_slots)
        .in(1, 1024)
        .unit("wavefronts")
        .text("wavefronts that are resident together, dealt out to the schedulers");
    f("wave_width", &compute_unit_spec::wave_width)
        .check([](unsigned n) { return n == 32 || n == 64; }, "32 or 64")
        .unit("threads")
        .text("threads of a wavefront");
    f("lanes", &compute_unit_spec::lanes)
        .in(1, 64)
        .power_of_two()
        .unit("threads/cycle")
        .text("of a scheduler's SIMD: an instruction takes wave_width / lanes cycles, and one at least");
    f("cta_slots", &compute_unit_spec::cta_slots).in(1, 1024).unit("CTAs").text("CTAs that are resident together");
    f("scratchpad", &compute_unit_spec::scratchpad).text("shared memory of the CTAs that are resident together");
    f("scratchpad_banks", &compute_unit_spec::scratchpad_banks)
        .check([](unsigned n) { return n <= max_banks && (n & (n - 1)) == 0; }, "0, or a power of two of at most 64")
        .unit("banks")
        .text("of 4 bytes; an access takes a cycle for each word of its busiest bank; 0: no conflicts");
    f("schedulers", &compute_unit_spec::schedulers)
        .in(1, 64)
        .text("each issues one instruction at a time of the wavefronts assigned to it");
    f("outstanding", &compute_unit_spec::outstanding)
        .in(1, 65536)
        .unit("lines")
        .text("line requests sent and not yet answered, before the coalescer waits");
    f("wave_loads", &compute_unit_spec::wave_loads)
        .in(1, 65536)
        .unit("loads")
        .text("loads that a wavefront has under way, before its next one waits");
}

void compute_unit_spec::check() const {
    if (wave_slots == 0 || cta_slots == 0 || schedulers == 0 || outstanding == 0 || wave_loads == 0 ||
        cycle == core::sim_time{})
        throw std::invalid_argument(
            "compute_unit: slots, schedulers, outstanding requests and loads, and cycle are at least 1");
    if ((wave_width != 32 && wave_width != 64) || lanes == 0)
        throw std::invalid_argument("compute_unit: a wavefront has 32 or 64 threads, and a SIMD a lane at least");
    if (scratchpad_banks > max_banks || (scratchpad_banks & (scratchpad_banks - 1)) != 0)
        throw std::invalid_argument("compute_unit: banks of the scratchpad are 0, or a power of two of at most 64");
    if (line.count < 8 || line.count > memory::payload::max_bytes || !std::has_single_bit(line.count))
        throw std::invalid_argument("compute_unit: a line is a power of two of 8 to 128 bytes");
}

}  // namespace contraflow::gpu
