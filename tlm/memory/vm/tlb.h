// SPDX-License-Identifier: Apache-2.0
// A TLB of any level. Requests for a page that is not here are merged in an MSHR and asked of the next level; a hit
// goes on under misses, but what cannot be admitted to an MSHR holds back those behind it and, once the queue is full,
// the senders.
//
// No translation outlives an invalidation: entries go at once, and an answer that is under way and was read from the
// table before the change is asked for again. A write to a page that is here for reading only is a miss, which takes
// the entry away: rights may have been widened, and younger reads of that page must not overtake the write.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <systemc>

#include "core/control.h"
#include "core/waiting.h"
#include "memory/port/completion.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/resources.h"
#include "memory/vm/tlb_entries.h"
#include "memory/vm/tlb_statistics.h"
#include "memory/vm/translation_if.h"
#include "observe/conservation.h"

namespace contraflow::memory {

class tlb final : public sc_core::sc_module,
                  public translation_if,
                  public core::waiter_if,
                  public core::controllable_if,
                  private translation_client_if {
public:
    tlb(const sc_core::sc_module_name& name, const resources& shared, const tlb_spec& s, translation_if& below);
    ~tlb() override;

    // --- for a unit that keeps the order of its own requests
    // The page, if it is here for that access; else null, and miss() is to follow. Takes no time here: the unit adds
    // hit_latency to the way of the request, hit or miss.
    const page_translation* find(std::uint32_t process, std::uint64_t address, bool write) {
        const page_translation* const page = entries_.find(process, address);
        if (page == nullptr) return nullptr;
        if (!page->permits(write)) return withdraw(process, address);
        ++statistics_.count.hits;
        return page;
    }
    // Asks the next level. False: held back until translation_accepted(), as in translate(); it may have been answered
    // by then.
    bool miss(translation_request& request);
    core::sim_time hit_latency() const { return hit_latency_; }

    // --- for levels above
    bool translate(translation_request& request) override;
    std::string instance() const override { return name(); }

    // Forgets pages, also those under way that were read from a table of an earlier epoch (any_epoch: all of them). The
    // levels below come first: what they still had could be asked of them again.
    static constexpr std::uint64_t any_epoch = ~std::uint64_t{0};
    void forget(const translation_range& which, std::uint64_t epoch);
    core::sim_time invalidate_latency() const { return invalidate_latency_; }               // what that takes
    void invalidate(const translation_range& which, std::uint64_t epoch, completion done);  // with that time
    // Invalidate is of all pages, and of all that is under way; there is nothing to flush.
    bool control(core::control_verb verb) override;
    bool at_rest() const { return taken_ == answered_ && under_way_ == 0 && acknowledgements_.empty(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // To be held at rest.
    void check(observe::conservation& checks) const;
    const tlb_statistics& statistics() const { return statistics_; }
    const tlb_spec& configuration() const { return spec_; }
    std::size_t pages() const { return entries_.count(); }

private:
    struct pending {
        translation_request question;
        linked_fifo<translation_request> targets;
        // That an answer must be from, by the size of the page that it names.
        std::array<std::uint64_t, page_sizes.size()> needed_epoch{};
        core::sim_time since{};
    };
    static constexpr std::uint64_t no_key = ~std::uint64_t{0};
    // The smallest page: what is merged before the page's size is known.
    static std::uint64_t key_of(const translation_request& r) {
        return r.address >> page_bits_4k << process_bits | (r.process & ((1u << process_bits) - 1));
    }

    static bool outdated(const pending& p, const translation_request& answer) {
        const bool large = answer.status != translation_status::unmapped;
        return answer.page.epoch < p.needed_epoch[large ? size_index(answer.page.bits) : 0];
    }

    void translated(translation_request& answered) override;
    void translation_accepted(translation_request& held) override;

    const page_translation* withdraw(std::uint32_t process, std::uint64_t address);
    void arm(core::sim_time when);
    void serve();
    bool look_up(translation_request& request);
    bool admit(translation_request& request);
    void let_in();
    void let_direct_in();
    void stall();
    void end_stall();
    void ask(pending& p);
    void ask_next();
    void filled(translation_request& question);
    bool answer_targets(pending& p, const translation_request& answer);
    void release(pending& p);
    void answer(translation_request& request, translation_status status, const page_translation& page);
    void acknowledge();
    void reset();

    core::scheduler& events_;
    const tlb_spec spec_;
    const core::sim_time hit_latency_, fill_latency_, invalidate_latency_;
    translation_if& below_;
    tlb_entries entries_;
    tlb_statistics statistics_;
    std::vector<std::unique_ptr<pending>> misses_;  // made as they are needed
    std::vector<std::uint64_t> keys_;               // of each, or no_key
    std::vector<unsigned> free_;
    std::size_t under_way_ = 0;
    linked_fifo<translation_request> queue_;   // in the lookup, or waiting behind one that is
    linked_fifo<translation_request> held_;    // back
    linked_fifo<translation_request> direct_;  // the same, of a unit's misses
    linked_fifo<translation_request> to_ask_;
    translation_request* offered_ = nullptr;  // that the next level holds back
    core::sim_time offered_since_{};
    delay_line<tlb, &tlb::filled, translation_request> fills_;
    core::sim_time next_lookup_{};
    bool armed_ = false;
    bool stalled_ = false;
    core::sim_time stalled_since_{};
    intake intake_;
    core::sim_time stopped_since_{};
    struct acknowledgement {
        core::sim_time due{};
        completion done;
    };
    std::vector<acknowledgement> acknowledgements_;
    std::uint64_t taken_ = 0, answered_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace contraflow::memory
