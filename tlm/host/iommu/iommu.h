// SPDX-License-Identifier: Apache-2.0
// The IOMMU: translates for all GPUs. It has a finite queue and parallel walkers. Each result is offered to the
// fault sink, which lets it be answered or has it held until the page is in place.
#pragma once

#include <vector>

#include <systemc>

#include "host/iommu/fault_sink_if.h"
#include "memory/vm/walk_unit.h"

namespace contraflow::host {

class iommu final : public sc_core::sc_module,
                    public core::waiter_if,
                    public core::controllable_if,
                    private memory::walk_owner_if {
public:
    struct spec {
        memory::walk_spec walks;
        core::cycles distance{140};
        // Set by the machine, not by a configuration: the number of the first GPU as shown to users (0 or 1).
        unsigned first_gpu = 0;
        static void describe(config::fields<spec>& f);
    };
    iommu(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s, core::sim_time cycle,
          const memory::radix_table& table);
    ~iommu() override;

    // The port to the tables' memory, which must be bound; null if walks take a fixed time.
    memory::request_port* walk_port() { return walks_.port(); }
    // Without a sink, every result is returned.
    void set_sink(fault_sink_if* sink) { sink_ = sink; }

    memory::translation_server& requests() { return walks_.requests(); }

    // resume(): walks again for requests that are held for these pages, and for walks that may have read old entries.
    // give_up(): answers held requests as they were found.
    void resume(const memory::translation_range& which);
    void give_up(const memory::translation_range& which);
    std::size_t held() const { return held_.size(); }

    // Invalidates its entries of the tables, and calls back when that is done. Call it before the TLBs are invalidated.
    void invalidate(const memory::translation_range& which, core::callback done) { walks_.invalidate(which, done); }
    bool control(core::control_verb verb) override;
    bool idle() const { return walks_.idle() && held_.empty() && answers_.empty(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const { walks_.check(checks); }
    const memory::walk_unit& walks() const { return walks_; }
    std::uint64_t faults() const { return faults_.value(); }

private:
    void walked(memory::translation_request& request) override;
    void leave(memory::translation_request& request);
    template <class Do> void take_held(const memory::translation_range& which, Do what);

    core::scheduler& events_;
    const core::sim_time distance_;
    const unsigned first_gpu_;
    fault_sink_if* sink_ = nullptr;
    core::linked_fifo<memory::translation_request> held_;
    memory::delay_line<iommu, &iommu::leave, memory::translation_request> answers_;
    observe::counter faults_, holds_;
    memory::walk_unit walks_;
};

}  // namespace contraflow::host
