// SPDX-License-Identifier: Apache-2.0
// A TLB of any level. Requests that miss are merged in an MSHR, which asks the next level. Hits continue under misses,
// but a request that no MSHR accepts blocks those behind it and, once the queue is full, the senders.
//
// No translation outlives an invalidation: entries are dropped at once, and an answer in flight that was read before
// the change is requested again. A write to a page that is here read-only is a miss and drops the entry: rights may
// have been widened, and younger reads of that page must not overtake the write.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "core/callback.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/cache/replacement.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/resources.h"
#include "memory/vm/tlb_spec.h"
#include "memory/vm/translation.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"
#include "observe/statistics.h"

namespace contraflow::memory {

// The counters of one TLB.
struct tlb_statistics {
    tlb_statistics(observe::statistics& group, const std::string& path)
        : hits(group, path + ".hits", "requests", "requests whose page was here", count.hits),
          misses(group, path + ".misses", "requests", "requests whose page was not here, or not for writing",
                 count.misses),
          merged(group, path + ".merged", "requests", "misses that waited for a page asked for by another",
                 count.merged),
          asked(group, path + ".asked", "pages", "pages asked of the next level", count.asked),
          evictions(group, path + ".evictions", "pages", "pages that made room for another", count.evictions),
          invalidated(group, path + ".invalidated", "pages", "pages invalidated", count.invalidated),
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
    observe::counter_view hits, misses, merged, asked, evictions, invalidated, outdated, refused, wait_mshr, wait_next,
        miss_time;
    observe::ratio hit_rate;
    observe::gauge under_way;
};

// The entries of a TLB: pages of three sizes in the same sets, each in the set of its number. A lookup tries the sizes
// that are present; a few remembered pages serve most hits without it. Host memory is allocated with the first page.
class tlb_entries {
public:
    explicit tlb_entries(const tlb_spec& s);

    // Looks up the page of that address and counts it as used; null if absent.
    const page_translation* find(std::uint32_t process, std::uint64_t address) {
        if (out_of_reach(process, address)) return nullptr;
        const std::uint64_t small = address >> page_bits_4k << process_bits | process;
        const remembered& r = remembered_[slot_of(small)];
        if (r.small == small) {
            use(r.place);
            return &pages_[r.place];
        }
        return find_in_sets(process, address, small);
    }
    // Returns true if another entry was evicted.
    bool fill(std::uint32_t process, const page_translation& page);
    // Returns false if there was no such entry.
    bool invalidate(std::uint32_t process, std::uint64_t address);
    // Returns the number of dropped entries.
    std::size_t invalidate(const translation_range& which);
    std::size_t count() const { return counts_[1] + counts_[2] + counts_[3]; }
    void reset();

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};
    struct remembered {
        std::uint64_t small = nothing;  // number of the 4 KiB page, and process
        std::uint32_t place = none;
    };

    static bool out_of_reach(std::uint32_t process, std::uint64_t address) {
        return (address >> virtual_address_bits | process >> process_bits) != 0;
    }
    static std::size_t slot_of(std::uint64_t small) { return (small * 0x9e3779b97f4a7c15u) >> 60; }
    static unsigned code_of(unsigned bits) { return bits == page_bits_4k ? 1 : bits == page_bits_64k ? 2 : 3; }
    static std::uint64_t key_of(std::uint32_t process, std::uint64_t address, unsigned bits) {
        return (address >> bits << (bits - page_bits_4k)) << (process_bits + 2) | std::uint64_t{process} << 2 |
               code_of(bits);
    }
    std::uint32_t first_of(std::uint64_t address, unsigned bits) const {
        return static_cast<std::uint32_t>((address >> bits) & (sets_ - 1)) * ways_;
    }
    void use(std::uint32_t place) {
        // The last one used is already in front under every policy.
        if (place == last_used_) return;
        last_used_ = place;
        replacement_->used(place / ways_, place % ways_);
    }
    const page_translation* find_in_sets(std::uint32_t process, std::uint64_t address, std::uint64_t small);
    std::uint32_t place_of(std::uint32_t process, std::uint64_t address, unsigned bits) const;
    bool names_few(const translation_range& which) const;
    void drop(std::uint32_t place);

    const unsigned sets_, ways_;
    std::array<remembered, 16> remembered_{};
    std::uint32_t last_used_ = none;
    std::array<std::size_t, 4> counts_{};  // by code
    std::vector<std::uint64_t> keys_;      // 0: free
    std::vector<page_translation> pages_;
    std::unique_ptr<replacement_if> replacement_;
};

class tlb final : public sc_core::sc_module,
                  public core::waiter_if,
                  public core::controllable_if,
                  private core::channel_receiver_if<translation_request*>,
                  private translation_client_if {
public:
    tlb(const sc_core::sc_module_name& name, const resources& shared, const tlb_spec& s, translation_server& below);
    ~tlb() override;

    // --- for a unit that keeps the order of its own requests The page, if it is here for that access; else null, and
    // the unit must send a request to unit_side(). Takes no time here: the unit adds hit_latency to the request's
    // delay, hit or miss.
    const page_translation* find(std::uint32_t process, std::uint64_t address, bool write) {
        const page_translation* const page = entries_.find(process, address);
        if (page == nullptr) return nullptr;
        if (!page->permits(write)) return withdraw(process, address);
        ++statistics_.count.hits;
        return page;
    }
    // Takes a miss if the next level can be asked. One that was held back may be answered as it is taken.
    translation_server& unit_side() { return unit_side_; }
    core::sim_time hit_latency() const { return hit_latency_; }

    // --- for levels above: takes as many requests as the queue has room for
    translation_server& levels_above() { return levels_above_; }

    // Invalidates pages, also those under way that were read from a table of an earlier epoch (any_epoch: all of them).
    // Invalidate the levels below first, because old entries could be requested from them again.
    static constexpr std::uint64_t any_epoch = ~std::uint64_t{0};
    void invalidate(const translation_range& which, std::uint64_t epoch);
    core::sim_time invalidate_latency() const { return invalidate_latency_; }  // the time that it takes
    void invalidate(const translation_range& which, std::uint64_t epoch, core::callback done);  // with that time
    // Invalidate covers all pages and all requests in flight; there is nothing to flush.
    bool control(core::control_verb verb) override;
    bool idle() const {
        return levels_above_.idle() && unit_side_.idle() && under_way_ == 0 && acknowledgements_.empty();
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Holds when idle.
    void check(observe::conservation& checks) const;
    const tlb_statistics& statistics() const { return statistics_; }
    const tlb_spec& configuration() const { return spec_; }
    std::size_t pages() const { return entries_.count(); }

private:
    struct pending {
        translation_request question;
        core::linked_fifo<translation_request> targets;
        // The oldest epoch that an answer may be from, by the size of its page.
        std::array<std::uint64_t, page_sizes.size()> needed_epoch{};
        core::sim_time since{};
    };
    static constexpr std::uint64_t no_key = ~std::uint64_t{0};
    // The smallest page: requests are merged by it before the page's size is known.
    static std::uint64_t key_of(const translation_request& r) {
        return r.address >> page_bits_4k << process_bits | (r.process & ((1u << process_bits) - 1));
    }

    static bool outdated(const pending& p, const translation_request& answer) {
        const bool large = answer.status != translation_status::unmapped;
        return answer.page.epoch < p.needed_epoch[large ? size_index(answer.page.bits) : 0];
    }

    enum side : unsigned { above, unit };
    bool can_take(unsigned side, translation_request* const& request) override;
    void take(unsigned side, translation_request* request) override;
    void answered(translation_request& request) override;
    void accepted(translation_request& held, core::sim_time since) override;

    const page_translation* withdraw(std::uint32_t process, std::uint64_t address);
    void arm(core::sim_time when);
    void serve();
    bool look_up(translation_request& request);
    const page_translation* find_permitted(const translation_request& request);
    bool can_admit(const translation_request& request) const;
    void admit(translation_request& request);
    unsigned miss_of(std::uint64_t key) const;
    void stall();
    void end_stall();
    void ask(pending& p);
    void filled(translation_request& question);
    bool answer_targets(pending& p, const translation_request& answer);
    void release(pending& p);
    void answer(translation_request& request, translation_status status, const page_translation& page);
    void acknowledge();
    void reset();

    core::scheduler& events_;
    const tlb_spec spec_;
    const core::sim_time hit_latency_, fill_latency_, invalidate_latency_;
    translation_server levels_above_, unit_side_;
    translation_client below_;
    tlb_entries entries_;
    tlb_statistics statistics_;
    std::vector<std::unique_ptr<pending>> misses_;  // made on demand
    std::vector<std::uint64_t> keys_;               // key of each entry, or no_key
    std::vector<unsigned> free_;
    std::size_t under_way_ = 0;
    core::linked_fifo<translation_request> queue_;  // in the lookup, or waiting behind one that is
    delay_line<tlb, &tlb::filled, translation_request> fills_;
    core::sim_time next_lookup_{};
    core::timer<&tlb::serve> serve_;
    bool stalled_ = false;
    core::sim_time stalled_since_{};
    intake intake_;
    core::sim_time stopped_since_{};
    struct acknowledgement {
        core::sim_time due{};
        core::callback done;
    };
    std::vector<acknowledgement> acknowledgements_;
    core::cancellable_calls<tlb> calls_;
};

}  // namespace contraflow::memory
