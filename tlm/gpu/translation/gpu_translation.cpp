// SPDX-License-Identifier: Apache-2.0
#include "gpu/translation/gpu_translation.h"

#include <algorithm>
#include <string>

namespace contraflow::gpu {
namespace {

memory::tlb_spec shared_level(memory::tlb_spec s, core::sim_time cycle) {
    s.cycle = cycle;
    s.level = memory::stage::l2_tlb;
    return s;
}

}  // namespace

// A TLB of 1024 pages that takes one request per cycle and answers after ten cycles: assumed.
gpu_translation::spec::spec() {
    l2.sets = 64;
    l2.ways = 16;
    l2.mshrs = 64;
    l2.queue = 64;
    l2.hit_latency = {10};
}

void gpu_translation::spec::describe(config::fields<spec>& f) {
    f("mode", &spec::mode)
        .text("instant: addresses are translated in no time; timed: by the TLBs here and the levels below them");
    f("l1", &spec::l1).text("the TLB of each compute unit");
    f("l2", &spec::l2).text("the TLB that a GPU's units share");
    f("has_gmmu", &spec::has_gmmu).text("whether the GPU has walkers of its own before the IOMMU");
    f("gmmu", &spec::own).text("these");
}

gpu_translation::gpu_translation(const memory::resources& shared, const spec& s, core::sim_time cycle,
                                 const memory::radix_table& table, const memory::address_map& map, unsigned gpu,
                                 memory::translation_server& below)
    : events_(shared.events),
      table_(table),
      gmmu_(s.has_gmmu ? std::make_unique<gmmu>("gmmu", shared, s.own, cycle, table, map, gpu, below) : nullptr),
      calls_(shared.events, *this) {
    l2_ = std::make_unique<memory::tlb>("l2_tlb", shared, shared_level(s.l2, cycle), gmmu_ ? gmmu_->requests() : below);
    const sc_core::sc_object* const gpu_module = l2_->get_parent_object();
    name_ = gpu_module == nullptr ? "translation" : std::string(gpu_module->name()) + ".translation";
}

void gpu_translation::shoot_down(const memory::translation_range& which, std::uint64_t epoch, core::callback done) {
    orders_.push_back({which, epoch, done});
    if (!busy_) begin();
}

void gpu_translation::begin() {
    busy_ = true;
    since_ = events_.now();
    if (gmmu_)
        gmmu_->invalidate(orders_.front().which, calls_.make<&gpu_translation::own_walkers_done>());
    else
        own_walkers_done();
}

void gpu_translation::own_walkers_done() {
    l2_->invalidate(orders_.front().which, orders_.front().epoch, calls_.make<&gpu_translation::l2_done>());
}

// All units invalidate in parallel; each unit with requests to the pages takes one callback.
void gpu_translation::l2_done() {
    core::sim_time longest{};
    for (load_store_unit* u : units_) {
        u->invalidate(orders_.front().which, orders_.front().epoch);
        longest = std::max(longest, u->invalidate_latency());
    }
    calls_.after<&gpu_translation::units_invalidated>(longest);
}

void gpu_translation::units_invalidated() {
    missing_ = units_.size() + 1;
    for (load_store_unit* u : units_)
        if (!u->drain(orders_.front().which, calls_.make<&gpu_translation::unit_done>())) --missing_;
    unit_done();
}

void gpu_translation::unit_done() {
    if (--missing_ != 0) return;
    const core::callback done = orders_.front().done;
    orders_.erase(orders_.begin());
    busy_ = false;
    done();
    if (!busy_ && !orders_.empty()) begin();
}

bool gpu_translation::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        orders_.clear();
        busy_ = false;
        calls_.cancel();
    }
    const bool done = l2_->control(verb);
    if (gmmu_) gmmu_->control(verb);
    return done;
}

void gpu_translation::report_waits(std::vector<core::wait_edge>& edges) const {
    l2_->report_waits(edges);
    if (gmmu_) gmmu_->report_waits(edges);
    for (const load_store_unit* u : units_)
        if (busy_ && u->draining()) edges.push_back({name_, "requests to a page to be answered", u->name(), since_});
}

void gpu_translation::check(observe::conservation& checks) const {
    l2_->check(checks);
    if (gmmu_) gmmu_->check(checks);
}

}  // namespace contraflow::gpu
