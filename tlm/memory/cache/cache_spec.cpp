// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_spec.h"

#include "memory/cache/replacement.h"

namespace contraflow::memory {
void cache_spec::describe(config::fields<cache_spec>& f) {
    f("size", &cache_spec::size)
        .in(core::bytes{32}, core::bytes{1u << 30})
        .text("data it holds; a whole number of sets");
    f("line", &cache_spec::line)
        .in(core::bytes{32}, core::bytes{128})
        .power_of_two()
        .text("what is kept and fetched together");
    f("ways", &cache_spec::ways).in(1, most_ways).text("lines of a set");
    f("writes", &cache_spec::writes)
        .text("through: a write goes on to the next level and takes no room here; back: it stays here");
    f("atomics", &cache_spec::atomics).text("whether atomic operations are done here or at the next level");
    f("replacement", &cache_spec::replacement)
        .check(is_replacement, known_replacements())
        .text("which line has to go when a set is full");
    f("mshrs", &cache_spec::mshrs).in(1, 4096).text("lines that may be under way from the next level");
    f("mshr_targets", &cache_spec::mshr_targets)
        .in(1, 4096)
        .unit("requests")
        .text("requests that may wait for one such line, beside the one that asked for it");
    f.renamed("merges", "mshr_targets");
    f("queue", &cache_spec::queue).in(1, 4096).unit("requests").text("requests held before the tags");
    f("request_queue", &cache_spec::request_queue)
        .in(2, 4096)
        .unit("requests")
        .text("requests held for the next level");
    f("write_backs", &cache_spec::write_backs).in(1, 4096).unit("lines").text("lines being written back at most");
    f("accesses", &cache_spec::accesses).in(1, 64).unit("requests").text("requests taken in a cycle");
    f("hit_latency", &cache_spec::hit_latency)
        .in(core::cycles{1}, core::cycles{100'000})
        .text("time of a look-up: from the request to its answer if the line is here, or else to the next level");
    f("fill_latency", &cache_spec::fill_latency)
        .in(core::cycles{1}, core::cycles{100'000})
        .text("time from the line's arrival to the first answer");
    f("covers", &cache_spec::covers)
        .text("the widest scope whose requests see each other here; reads of a wider one pass by");
}

}  // namespace contraflow::memory
