// SPDX-License-Identifier: Apache-2.0
// The part of a GPU's address translation that its units share: an L2 TLB and, by option, a GMMU, below which stands
// the IOMMU. And what a shootdown is on a GPU: its levels forget a range of pages from below to above, and every unit
// waits for its own requests to those pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/gmmu.h"
#include "gpu/load_store_unit.h"
#include "memory/tlb.h"

namespace contraflow::gpu {

class gpu_translation final : public core::waiter_if, public core::controllable_if {
public:
    struct spec {
        memory::tlb_spec l1;  // of each unit
        memory::tlb_spec l2;
        bool has_gmmu = false;
        gmmu::spec own;

        spec();
        static void describe(config::fields<spec>& f);
    };
    // `below`: the IOMMU. The first two words of the names of its parts are "l2_tlb" and "gmmu".
    gpu_translation(const memory::resources& shared, const spec& s, core::sim_time cycle,
                    const memory::radix_table& table, const memory::address_map& map, unsigned gpu,
                    memory::translation_if& below);

    // What compute_unit_spec::translation is to be.
    memory::translation_if& for_units() { return *l2_; }
    void add_unit(load_store_unit& unit) { units_.push_back(&unit); }
    // To be bound, if there is a GMMU that reads tables where they stand; else null.
    memory::request_port* walk_port() { return gmmu_ ? gmmu_->walk_port() : nullptr; }

    // `done`: nothing of this GPU that was translated before the epoch is under way or will be served. The IOMMU comes
    // first. Several may be under way; they are acknowledged in the order in which they came.
    void shoot_down(const memory::translation_range& which, std::uint64_t epoch, memory::completion done);

    memory::tlb& l2() { return *l2_; }
    gmmu* own_walkers() { return gmmu_.get(); }  // null: there are none
    // Of the shared levels; the units have their own.
    bool control(core::control_verb verb) override;
    bool at_rest() const { return l2_->at_rest() && (!gmmu_ || gmmu_->at_rest()) && !busy_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    struct order {
        memory::translation_range which;
        std::uint64_t epoch = 0;
        memory::completion done;
    };
    void begin();
    void own_walkers_done();
    void l2_done();
    void unit_done();
    template <void (gpu_translation::*Next)()> memory::completion then() {
        return {[](void* o, std::uint64_t run) {
                    auto* const self = static_cast<gpu_translation*>(o);
                    if (self->run_ == run) (self->*Next)();
                },
                this, run_};
    }

    core::scheduler& events_;
    std::unique_ptr<gmmu> gmmu_;
    std::unique_ptr<memory::tlb> l2_;
    std::vector<load_store_unit*> units_;
    std::vector<order> orders_;
    bool busy_ = false;
    core::sim_time since_{};
    std::size_t missing_ = 0;  // units
    std::uint64_t run_ = 0;    // begun by a reset
};

}  // namespace contraflow::gpu
