// SPDX-License-Identifier: Apache-2.0
// What one cache counts, and why it could not go on.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "memory/cache/tally.h"
#include "observe/statistics.h"

namespace contraflow::memory {

// What the oldest request that waits in a cache waits for.
enum class cache_wait : std::uint8_t {
    none,
    miss_register,  // all MSHRs are in use
    merge,          // as many requests as an MSHR takes wait for this line, or one that comes before a write
    set,            // every line of the set is being filled
    stale_fill,     // the line under way was invalidated; it must come and go first
    request_queue,  // the next level holds requests back
    write_back,     // as many lines as allowed are being written back
    response,       // the requester doesn't take its responses
};
inline constexpr std::size_t cache_waits = 7;  // beside none

struct cache_statistics {
    cache_statistics(observe::statistics& group, const std::string& path)
        : reads(group, path + ".reads", "requests", "reads", count.reads),
          writes(group, path + ".writes", "requests", "writes", count.writes),
          atomics(group, path + ".atomics", "requests", "atomic operations", count.atomics),
          read_hits(group, path + ".read_hits", "requests", "reads answered from a line that was here",
                    count.read_hits),
          write_hits(group, path + ".write_hits", "requests", "writes to a line that was here", count.write_hits),
          atomic_hits(group, path + ".atomic_hits", "requests", "atomic operations on a line that was here",
                      count.atomic_hits),
          merged(group, path + ".merged", "requests", "requests that waited for a line asked for by another",
                 count.merged),
          fills(group, path + ".fills", "lines", "lines asked of the next level", count.fills),
          evictions(group, path + ".evictions", "lines", "lines that made room for another", count.evictions),
          write_backs(group, path + ".write_backs", "lines", "lines written to the next level", count.write_backs),
          passed_on(group, path + ".passed_on", "requests", "requests handed on to the next level as they were",
                    count.passed_on),
          refused(group, path + ".refused", "requests", "requests answered with an error", count.refused),
          invalidated(group, path + ".invalidated", "lines", "copies forgotten because they were told to be",
                      count.invalidated),
          hit_rate(
              group, path + ".hit_rate", "share", "reads answered from a line that was here, of all reads",
              [this] { return static_cast<double>(read_hits.value()); },
              [this] { return static_cast<double>(reads.value()); }),
          misses(group, path + ".misses_under_way", "lines", "MSHRs in use"),
          fill_latency(group, path + ".fill_latency", "ps", "time from asking for a line to having it"),
          waits{{{group, path + ".wait_miss_register", "ps", "time the oldest request waited for an MSHR",
                  count.waits[0]},
                 {group, path + ".wait_merge", "ps", "time it waited for room in the list of an MSHR", count.waits[1]},
                 {group, path + ".wait_set", "ps", "time it waited because its whole set was being filled",
                  count.waits[2]},
                 {group, path + ".wait_stale_fill", "ps", "time it waited for an invalidated line to come and go",
                  count.waits[3]},
                 {group, path + ".wait_request_queue", "ps", "time it waited for the next level to take requests",
                  count.waits[4]},
                 {group, path + ".wait_write_back", "ps", "time it waited for lines that were being written back",
                  count.waits[5]},
                 {group, path + ".wait_response", "ps", "time it waited for responses to be taken", count.waits[6]}}} {}
    cache_statistics(const cache_statistics&) = delete;  // the ratio refers to the counters
    cache_statistics& operator=(const cache_statistics&) = delete;

    struct counts {
        std::uint64_t reads = 0, writes = 0, atomics = 0, read_hits = 0, write_hits = 0, atomic_hits = 0, merged = 0,
                      fills = 0, evictions = 0, write_backs = 0, passed_on = 0, refused = 0, invalidated = 0;
        std::array<std::uint64_t, cache_waits> waits{};  // by cache_wait, of which none has no counter
    };
    counts count;
    tally reads, writes, atomics, read_hits, write_hits, atomic_hits, merged, fills, evictions, write_backs, passed_on,
        refused, invalidated;
    observe::ratio hit_rate;
    observe::gauge misses;
    observe::histogram fill_latency;
    std::array<tally, cache_waits> waits;
};

}  // namespace contraflow::memory
