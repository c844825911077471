// SPDX-License-Identifier: Apache-2.0
// From an address in a region to a bus address: a TLB, and a walker of the page tables in the NIC's own memory, which
// reads a level after the other and walks for one page at a time.
#pragma once

#include <string>

#include "core/callback.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "nic/queue_pair/region_table.h"
#include "nic/receive/receive_tlb.h"
#include "observe/statistics.h"

namespace contraflow::nic {

class translator final : public core::waiter_if {
public:
    struct spec {
        std::uint32_t entries = 32;
        core::sim_time table_latency{};  // of a read of a level
    };
    enum class answer : std::uint8_t { here, later, absent };
    struct result {
        answer what = answer::here;
        std::uint64_t address = 0;
    };
    // `walked` is called at the end of each walk: what was to come later is here, or can be asked for again.
    translator(core::scheduler& events, observe::statistics& statistics, const region_table& regions, const spec& s,
               const core::callback& walked, std::string name)
        : events_(events),
          regions_(regions),
          spec_(s),
          walked_(walked),
          name_(std::move(name)),
          tlb_(s.entries),
          hits_(statistics, name_ + ".hits", "pages", "translations that were in the TLB"),
          walks_(statistics, name_ + ".walks", "pages", "walks of a page table") {}

    result find(const registered_region& r, std::uint64_t address) {
        const std::uint64_t number = address >> page_bits(r.pages);
        const std::uint64_t offset = address & ((1ull << page_bits(r.pages)) - 1);
        if (const page_entry* const known = tlb_.find(r.root, number)) {
            ++hits_;
            return {answer::here, known->page + offset};
        }
        if (!regions_.page_of(r, address)) return {answer::absent};
        if (!walk_.armed()) {
            ++walks_;
            walking_ = r;
            at_ = address;
            since_ = events_.now();
            walk_.arm_after(spec_.table_latency * table_levels);
        }
        return {answer::later};
    }
    void forget(std::uint64_t root) { tlb_.invalidate(root); }
    void reset() {
        walk_.cancel();
        tlb_.clear();
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (walk_.armed()) edges.push_back({name_, "a translation", name_ + ".walker", since_});
    }

private:
    void walked() {
        if (const auto page = regions_.page_of(walking_, at_))
            tlb_.insert(walking_.root, at_ >> page_bits(walking_.pages), *page);
        walked_();
    }

    core::scheduler& events_;
    const region_table& regions_;
    const spec spec_;
    const core::callback walked_;
    const std::string name_;
    receive_tlb tlb_;
    registered_region walking_;
    std::uint64_t at_ = 0;
    core::sim_time since_{};
    core::timer<&translator::walked> walk_{events_, *this};
    observe::counter hits_, walks_;
};

}  // namespace contraflow::nic
