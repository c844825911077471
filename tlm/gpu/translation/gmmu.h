// SPDX-License-Identifier: Apache-2.0
// A GPU's own walkers, before the IOMMU: they answer for pages in this GPU's memory and pass everything else on. So the
// IOMMU sees every fault and every page elsewhere, which may be about to move. A request that was walked for and waits
// for the IOMMU occupies an entry. If entries could run out, no walk begins, the queue fills, and the levels above
// wait.
#pragma once

#include <memory>
#include <vector>

#include <systemc>

#include "memory/crossbar/address_map.h"
#include "memory/vm/walk_unit.h"

namespace contraflow::gpu {

class gmmu final : public sc_core::sc_module,
                   public core::waiter_if,
                   public core::controllable_if,
                   private memory::walk_owner_if,
                   private memory::translation_client_if {
public:
    struct spec {
        memory::walk_spec walks;
        unsigned waiting = 64;
        unsigned forwards = 64;
        static void describe(config::fields<spec>& f);
    };
    gmmu(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s, core::sim_time cycle,
         const memory::radix_table& table, const memory::address_map& map, unsigned gpu,
         memory::translation_server& below);
    ~gmmu() override;

    // The port to the memory of the tables, which must be bound; null if walks take a fixed time.
    memory::request_port* walk_port() { return walks_.port(); }

    memory::translation_server& requests() { return walks_.requests(); }
    // Invalidates its copies of table entries and calls back when that is done. Call it after the IOMMU, before the
    // TLBs.
    void invalidate(const memory::translation_range& which, core::callback done) { walks_.invalidate(which, done); }
    bool control(core::control_verb verb) override;
    bool idle() const { return walks_.idle() && forwarded() == 0 && waiting_.empty(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const { walks_.check(checks); }
    const memory::walk_unit& walks() const { return walks_; }
    std::uint64_t answered_here() const { return here_.value(); }
    const observe::gauge& waiting() const { return waiting_now_; }

private:
    struct forward {
        memory::translation_request question;
        memory::translation_request* above = nullptr;
        core::sim_time since{};
    };

    void walked(memory::translation_request& request) override;
    bool may_begin(std::size_t under_way) const override { return waiting_.size() + under_way < places_; }
    void answered(memory::translation_request& request) override;
    void accepted(memory::translation_request&, core::sim_time) override { hand_on(); }
    void hand_on();
    void count_waiting() { waiting_now_.set(events_.now(), static_cast<double>(waiting_.size())); }
    std::size_t forwarded() const { return forwards_.size() - free_.size(); }
    static void answer(memory::translation_request& request, core::sim_time now);

    core::scheduler& events_;
    const memory::address_map map_;
    const unsigned gpu_;
    memory::translation_client below_;
    std::vector<forward> forwards_;
    std::vector<std::uint32_t> free_;
    const std::size_t places_;
    core::linked_fifo<memory::translation_request> waiting_;  // places_ at most, for one of forwards_
    observe::counter here_, elsewhere_;
    observe::gauge waiting_now_;
    memory::walk_unit walks_;
};

}  // namespace contraflow::gpu
