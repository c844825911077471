// SPDX-License-Identifier: Apache-2.0
// A GPU's access counters: the number of its accesses to each page of other GPUs' memory. They are at the GPU's exit to
// the network, so they do not count accesses that its caches answer. They do count accesses while its TLBs have the
// page, which an IOMMU cannot see. Pages are identified by their frames; the driver knows the owners. The table is
// finite: a new page replaces the one with the lowest count in its set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/control.h"
#include "memory/transaction/memory_extension.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

// The page migrator, which is in a folder above this one.
class access_counter_sink_if {
public:
    // The GPU's accesses to the page since it was first counted, or since the last such call, have reached the
    // threshold. This is called within the memory system, so it may only record the event.
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

        // Set by the machine, not by a configuration.
        unsigned gpu = 0;  // the number for the sink
        core::bytes page{4096};

        static void describe(config::fields<spec>& f);
    };
    access_counters(observe::statistics& statistics, const std::string& path, const spec& s);

    void set_sink(access_counter_sink_if* sink) { sink_ = sink; }
    // A request of a unit to another GPU's memory; others (copies, pages that are pulled) are not counted.
    void count(const memory::memory_extension& request);
    // Clears the count of that page, which is no longer valid.
    void clear(std::uint64_t physical_page);
    unsigned count_of(std::uint64_t physical_page) const;

    // Reset and invalidate clear all counts; the other verbs do not apply.
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
