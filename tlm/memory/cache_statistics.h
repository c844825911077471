// SPDX-License-Identifier: Apache-2.0
// What one cache counts, and why it could not go on.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "observe/statistics.h"

namespace contraflow::memory {

// What the oldest request that waits in a cache waits for.
enum class cache_wait : std::uint8_t {
    none,
    miss_register,  // all MSHRs are in use
    merge,          // as many requests as an MSHR takes wait for this line already
    set,            // every line of the set is being filled
    stale_fill,     // the line under way was invalidated; it must come and go first
    request_queue,  // the next level holds requests back
    write_back,     // as many lines as allowed are being written back
    response,       // the requester doesn't take its responses
};
inline constexpr std::size_t cache_waits = 7;  // beside none

struct cache_statistics {
    cache_statistics(observe::statistics& home, const std::string& path)
        : reads(home, path + ".reads", "requests", "reads"),
          writes(home, path + ".writes", "requests", "writes"),
          atomics(home, path + ".atomics", "requests", "atomic operations"),
          read_hits(home, path + ".read_hits", "requests", "reads answered from a line that was here"),
          write_hits(home, path + ".write_hits", "requests", "writes to a line that was here"),
          atomic_hits(home, path + ".atomic_hits", "requests", "atomic operations on a line that was here"),
          merged(home, path + ".merged", "requests", "requests that waited for a line asked for by another"),
          fills(home, path + ".fills", "lines", "lines asked of the next level"),
          evictions(home, path + ".evictions", "lines", "lines that made room for another"),
          write_backs(home, path + ".write_backs", "lines", "lines written to the next level"),
          passed_on(home, path + ".passed_on", "requests", "requests handed on to the next level as they were"),
          refused(home, path + ".refused", "requests", "requests answered with an error"),
          invalidated(home, path + ".invalidated", "lines", "copies forgotten because they were told to be"),
          hit_rate(
              home, path + ".hit_rate", "share", "reads answered from a line that was here, of all reads",
              [this] { return static_cast<double>(read_hits.value()); },
              [this] { return static_cast<double>(reads.value()); }),
          misses(home, path + ".misses_under_way", "lines", "MSHRs in use"),
          fill_latency(home, path + ".fill_latency", "ps", "time from asking for a line to having it"),
          waits{{{home, path + ".wait_miss_register", "ps", "time the oldest request waited for an MSHR"},
                 {home, path + ".wait_merge", "ps", "time it waited for room in the list of an MSHR"},
                 {home, path + ".wait_set", "ps", "time it waited because its whole set was being filled"},
                 {home, path + ".wait_stale_fill", "ps", "time it waited for an invalidated line to come and go"},
                 {home, path + ".wait_request_queue", "ps", "time it waited for the next level to take requests"},
                 {home, path + ".wait_write_back", "ps", "time it waited for lines that were being written back"},
                 {home, path + ".wait_response", "ps", "time it waited for responses to be taken"}}} {}
    cache_statistics(const cache_statistics&) = delete;  // the ratio refers to the counters
    cache_statistics& operator=(const cache_statistics&) = delete;

    observe::counter reads, writes, atomics, read_hits, write_hits, atomic_hits, merged, fills, evictions, write_backs,
        passed_on, refused, invalidated;
    observe::ratio hit_rate;
    observe::level misses;
    observe::histogram fill_latency;
    std::array<observe::counter, cache_waits> waits;  // by cache_wait, of which none has no counter
};

}  // namespace contraflow::memory
