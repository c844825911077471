// SPDX-License-Identifier: Apache-2.0
// The part of a GPU's address translation that its units share: an L2 TLB and, by option, a GMMU above the IOMMU.
// It also carries out shootdowns on the GPU: its levels invalidate a range of pages from the lowest to the highest, and
// every unit waits for its own requests to those pages.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/timer.h"
#include "gpu/compute_unit/load_store_unit.h"
#include "gpu/translation/gmmu.h"
#include "gpu/translation/shootdown_if.h"
#include "memory/vm/tlb.h"

namespace contraflow::gpu {

enum class translation_mode {
    instant,  // addresses are looked up in one table of the machine, in no time
    timed,    // by TLBs and the levels below them
};

class gpu_translation final : public core::waiter_if, public core::controllable_if, public shootdown_target_if {
public:
    struct spec {
        translation_mode mode = translation_mode::instant;  // all other fields are for `timed`
        memory::tlb_spec l1;                                // for each unit
        memory::tlb_spec l2;
        bool has_gmmu = false;
        gmmu::spec own;

        spec();
        static void describe(config::fields<spec>& f);
    };
    // `below`: the IOMMU. The first two words of the names of its parts are "l2_tlb" and "gmmu".
    gpu_translation(const memory::resources& shared, const spec& s, core::sim_time cycle,
                    const memory::radix_table& table, const memory::address_map& map, unsigned gpu,
                    memory::translation_server& below);

    // The value for compute_unit_spec::translation.
    memory::translation_server& for_units() { return l2_->levels_above(); }
    void add_unit(load_store_unit& unit) { units_.push_back(&unit); }
    // Must be bound if there is a GMMU that reads tables in memory; else null.
    memory::request_port* walk_port() { return gmmu_ ? gmmu_->walk_port() : nullptr; }

    // `done`: no access of this GPU with a translation from before the epoch is under way or will follow. Invalidate
    // the IOMMU first. Several shootdowns may be in progress; they are acknowledged in order.
    void shoot_down(const memory::translation_range& which, std::uint64_t epoch, core::callback done);
    // The same for translations from before the table's present state.
    void shoot_down(const shootdown& what, core::callback done) override {
        shoot_down(what.range(), table_.epoch(), done);
    }

    const std::string& name() const { return name_; }  // in reports of waits for units in a shootdown
    memory::tlb& l2() { return *l2_; }
    gmmu* own_walkers() { return gmmu_.get(); }  // null: there are none
    // Controls the shared levels; the units have their own.
    bool control(core::control_verb verb) override;
    bool idle() const { return l2_->idle() && (!gmmu_ || gmmu_->idle()) && !busy_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    struct order {
        memory::translation_range which;
        std::uint64_t epoch = 0;
        core::callback done;
    };
    void begin();
    void own_walkers_done();
    void l2_done();
    void units_invalidated();
    void unit_done();

    core::scheduler& events_;
    const memory::radix_table& table_;
    std::string name_;
    std::unique_ptr<gmmu> gmmu_;
    std::unique_ptr<memory::tlb> l2_;
    std::vector<load_store_unit*> units_;
    std::vector<order> orders_;
    bool busy_ = false;
    core::sim_time since_{};
    std::size_t missing_ = 0;  // units
    core::cancellable_calls<gpu_translation> calls_;
};

// The parts with which a machine's GPUs translate: their own levels, the tables of all processes and the level below.
struct translation_source {
    gpu_translation::spec levels;
    const memory::radix_table& table;
    memory::translation_server& below;
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::translation_mode> {
    static constexpr std::array names{std::pair{contraflow::gpu::translation_mode::instant, "instant"},
                                      std::pair{contraflow::gpu::translation_mode::timed, "timed"}};
};
