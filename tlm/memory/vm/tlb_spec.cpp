// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/tlb_spec.h"

#include <bit>
#include <stdexcept>

#include "memory/cache/replacement.h"

namespace contraflow::memory {

void tlb_spec::describe(config::fields<tlb_spec>& f) {
    const core::cycles longest{100'000};
    f("sets", &tlb_spec::sets).in(1, 1u << 20).power_of_two().text("sets; each page has its own by its number");
    f("ways", &tlb_spec::ways).in(1, 64).text("entries of a set, of pages of any size");
    f("replacement", &tlb_spec::replacement)
        .check(is_replacement, known_replacements())
        .text("which entry has to go when a set is full");
    f("mshrs", &tlb_spec::mshrs).in(1, 4096).unit("pages").text("pages that may be asked of the next level at a time");
    f("mshr_targets", &tlb_spec::mshr_targets)
        .in(1, 65536)
        .unit("requests")
        .text("requests that may wait for one such page, beside the one that asked for it");
    f.renamed("merges", "mshr_targets");
    f("queue", &tlb_spec::queue).in(1, 4096).unit("requests").text("requests held in and before the lookup");
    f("lookups", &tlb_spec::lookups).in(1, 1024).unit("requests").text("requests looked up in a cycle");
    f("hit_latency", &tlb_spec::hit_latency)
        .in(core::cycles{0}, longest)
        .text("time from the request to its answer, or to its request to the next level");
    f("fill_latency", &tlb_spec::fill_latency)
        .in(core::cycles{1}, longest)
        .text("time from the next level's answer to this level's answer");
    f("invalidate_latency", &tlb_spec::invalidate_latency)
        .in(core::cycles{1}, longest)
        .text("time from the invalidation of translations to its acknowledgement");
}

void tlb_spec::check() const {
    if (!std::has_single_bit(sets) || ways == 0 || ways > 64)
        throw std::invalid_argument("tlb: sets are a power of two, ways 1 to 64");
    if (mshrs == 0 || mshr_targets == 0 || queue == 0 || lookups == 0 || cycle == core::sim_time{})
        throw std::invalid_argument("tlb: MSHRs, their targets, queue, lookups and cycle are at least 1");
}

}  // namespace contraflow::memory
