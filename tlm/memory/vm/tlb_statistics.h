// SPDX-License-Identifier: Apache-2.0
// What one TLB counts.
#pragma once

#include <string>

#include "memory/cache/tally.h"
#include "observe/statistics.h"

namespace contraflow::memory {

struct tlb_statistics {
    tlb_statistics(observe::statistics& group, const std::string& path)
        : hits(group, path + ".hits", "requests", "requests whose page was here", count.hits),
          misses(group, path + ".misses", "requests", "requests whose page was not here, or not for writing",
                 count.misses),
          merged(group, path + ".merged", "requests", "misses that waited for a page asked for by another",
                 count.merged),
          asked(group, path + ".asked", "pages", "pages asked of the next level", count.asked),
          evictions(group, path + ".evictions", "pages", "pages that made room for another", count.evictions),
          invalidated(group, path + ".invalidated", "pages", "pages forgotten because they were told to be",
                      count.invalidated),
          outdated(group, path + ".outdated", "answers",
                   "answers from before an invalidation that came after it, and were asked for again", count.outdated),
          refused(group, path + ".refused", "requests", "requests answered with a fault", count.refused),
          wait_mshr(group, path + ".wait_mshr", "ps", "time the oldest request waited for an MSHR or room in one",
                    count.wait_mshr),
          wait_next(group, path + ".wait_next", "ps", "time the next level held a request back", count.wait_next),
          miss_time(group, path + ".miss_time", "ps", "time from asking for a page to having it, over all",
                    count.miss_time),
          hit_rate(
              group, path + ".hit_rate", "share", "requests whose page was here, of all requests",
              [this] { return static_cast<double>(hits.value()); },
              [this] { return static_cast<double>(hits.value() + misses.value()); }),
          under_way(group, path + ".under_way", "pages", "pages asked for and not here yet") {}
    tlb_statistics(const tlb_statistics&) = delete;  // the ratio refers to the counters
    tlb_statistics& operator=(const tlb_statistics&) = delete;

    struct counts {
        std::uint64_t hits = 0, misses = 0, merged = 0, asked = 0, evictions = 0, invalidated = 0, outdated = 0,
                      refused = 0, wait_mshr = 0, wait_next = 0, miss_time = 0;
    };
    counts count;
    tally hits, misses, merged, asked, evictions, invalidated, outdated, refused, wait_mshr, wait_next, miss_time;
    observe::ratio hit_rate;
    observe::gauge under_way;
};

}  // namespace contraflow::memory
