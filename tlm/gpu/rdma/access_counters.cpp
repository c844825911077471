// SPDX-License-Identifier: Apache-2.0
#include "gpu/rdma/access_counters.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "gpu/migration/page_migration_controller.h"

namespace contraflow::gpu {

// The threshold is the default of the access counters of NVIDIA's open kernel modules
// (uvm_perf_access_counter_threshold).
void access_counters::spec::describe(config::fields<spec>& f) {
    f("threshold", &spec::threshold)
        .in(1, 1u << 30)
        .unit("accesses")
        .text("accesses of one GPU to a page of another GPU's memory before the driver hears of it");
    f("sets", &spec::sets).in(1, 1u << 20).power_of_two().text("sets of the table of counters");
    f("ways", &spec::ways).in(1, 64).text("counters a set");
}

access_counters::access_counters(observe::statistics& statistics, const std::string& path, const spec& s)
    : spec_(s),
      shift_(static_cast<unsigned>(std::countr_zero(s.page.count))),
      entries_(std::size_t{s.sets} * s.ways),
      counted_(statistics, path + ".counted", "accesses", "accesses of units to other GPUs' memory"),
      reached_(statistics, path + ".reached", "pages", "times that a page reached the threshold"),
      displaced_(statistics, path + ".displaced", "pages", "pages whose counter another page has taken") {
    if (!std::has_single_bit(s.page.count) || !std::has_single_bit(s.sets) || s.ways == 0 || s.threshold == 0)
        throw std::invalid_argument("access_counters: page and sets are powers of two, ways and threshold at least 1");
}

// Several GPUs often allocate the same frame numbers in order; the GPU's number is in the high bits.
access_counters::entry* access_counters::set_of(std::uint64_t page) {
    const std::uint64_t folded = page ^ page >> 16 ^ page >> 32;
    return &entries_[(folded & (spec_.sets - 1)) * spec_.ways];
}

access_counters::entry* access_counters::find(std::uint64_t page) {
    entry* const set = set_of(page);
    entry* const end = set + spec_.ways;
    entry* const found = std::find_if(set, end, [&](const entry& e) { return e.count != 0 && e.page == page; });
    return found == end ? nullptr : found;
}

void access_counters::count(const memory::memory_extension& request) {
    if (request.origin.unit >= page_migration_controller::unit_number) return;
    ++counted_;
    const std::uint64_t page = request.carrier().get_address() >> shift_;
    entry* e = find(page);
    if (e == nullptr) {
        entry* const set = set_of(page);
        e = std::min_element(set, set + spec_.ways, [](const entry& a, const entry& b) { return a.count < b.count; });
        if (e->count != 0) ++displaced_;
        *e = {page, 0};
    }
    if (++e->count < spec_.threshold) return;
    e->count = 0;
    ++reached_;
    if (sink_ != nullptr) sink_->page_reached(spec_.gpu, page << shift_);
}

void access_counters::clear(std::uint64_t physical_page) {
    if (entry* const e = find(physical_page >> shift_); e != nullptr) e->count = 0;
}

unsigned access_counters::count_of(std::uint64_t physical_page) const {
    const entry* const e = const_cast<access_counters*>(this)->find(physical_page >> shift_);
    return e == nullptr ? 0 : e->count;
}

bool access_counters::control(core::control_verb verb) {
    if (verb != core::control_verb::reset && verb != core::control_verb::invalidate) return false;
    entries_.assign(entries_.size(), {});
    return true;
}

}  // namespace contraflow::gpu
