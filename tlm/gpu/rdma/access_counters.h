// SPDX-License-Identifier: Apache-2.0
// A GPU's access counters: how often it has reached into each page of other GPUs' memory. They stand where its requests
// leave it for the network, so they see what really goes there: not what its caches answer, and all that goes on while
// its TLBs know the page, of which an IOMMU sees nothing. A page is known by its frame here; whose it is, the driver
// knows. The table is finite: a page that finds no room takes the place of the one of its set with the lowest count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/control.h"
#include "memory/transaction/memory_extension.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

class access_counter_sink_if {
public:
    // Since it was counted first, or this was called last, that GPU has reached into the page so many times. Within a
    // call of the memory system: only to be noted.
    virtual void page_reached(unsigned gpu, std::uint64_t physical_page) = 0;

protected:
    ~access_counter_sink_if() = default;
};

class access_counters final : public core::controllable_if {
public:
    struct spec {
        unsigned threshold = 256;
        unsigned sets = 64;
        unsigned ways = 4;

        // What its place in the machine gives, not a configuration.
        unsigned gpu = 0;  // what the sink is told
        core::bytes page{4096};

        static void describe(config::fields<spec>& f);
    };
    access_counters(observe::statistics& statistics, const std::string& path, const spec& s);

    void set_sink(access_counter_sink_if* sink) { sink_ = sink; }
    // A request of a unit to another GPU's memory; others (copies, pages that are pulled) are not counted.
    void count(const memory::memory_extension& request);
    // What was counted of that page says nothing any more.
    void clear(std::uint64_t physical_page);
    unsigned count_of(std::uint64_t physical_page) const;

    // Reset and invalidate clear all counts; there is nothing to stop or to write back.
    bool control(core::control_verb verb) override;
    std::uint64_t counted() const { return counted_.value(); }

private:
    struct entry {
        std::uint64_t page = 0;
        unsigned count = 0;  // 0: not in use
    };
    entry* set_of(std::uint64_t page);
    entry* find(std::uint64_t page);

    const spec spec_;
    const unsigned shift_;
    access_counter_sink_if* sink_ = nullptr;
    std::vector<entry> entries_;
    observe::counter counted_, reached_, displaced_;
};

}  // namespace contraflow::gpu
