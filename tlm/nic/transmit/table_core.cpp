// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/table_core.h"

#include <algorithm>
#include <utility>

#include "gpu/peer/peer_protocol.h"

namespace contraflow::nic {

table_core::table_core(const core_place& place, const spec& s)
    : spec_(s),
      path_(place.path),
      tables_(place.tables),
      source_tables_(place.reads_aperture ? aperture_tables : 0),
      buffers_(place.spec.buffers),
      messages_(s.messages),
      done_(place.events, *this) {}

void table_core::begin(const core_task& task) {
    busy_ = true;
    task_ = task;
    switch (task.work) {
    case core_work::translate: return end_after(spec_.translate + (task.first ? spec_.message : core::sim_time{}));
    case core_work::window: return end_after(spec_.window);
    case core_work::request: return end_after(spec_.request);
    }
}

void table_core::end_after(core::sim_time time) {
    if (time.ps == 0) return done();
    done_.arm_after(time);
}

void table_core::cancel_request() {
    done_.cancel();
    busy_ = false;
}

void table_core::done() {
    busy_ = false;
    switch (task_.work) {
    case core_work::translate: return user_->translated(find(task_));
    case core_work::window: return user_->window_started();
    case core_work::request: break;
    }
    const wanted_reads r = user_->reads();
    user_->write_request(gpu::peer_read_request{r.address, r.place}.encode());
}

std::optional<source_extent> table_core::find(const core_task& task) const {
    const auto found = std::ranges::find_if(
        buffers_, [&](const buffer_entry& b) { return b.valid && b.process == task.process && b.holds(task.address); });
    if (found == buffers_.end() || (task.space && found->space != *task.space)) return std::nullopt;
    if (task.length > found->length - (task.address - found->base)) return std::nullopt;
    const memory_space space = found->space;
    const std::uint64_t number = task.address >> page_bits(space);
    std::uint64_t table = found->root + (of_gpu(space) ? source_tables_ : 0), entry = 0;
    for (unsigned level = 0; level < table_levels; ++level) {
        entry = tables_.entry(entry_address(space, table, number, level));
        if ((entry & table_valid) == 0) return std::nullopt;
        table = next_table(entry);
    }
    const std::uint64_t page = 1ull << page_bits(space), offset = task.address % page;
    return source_extent{space, leaf(space, entry).page + offset, page - offset};
}

void table_core::take_message(const core_message& m) {
    messages_.try_push(m);
    if (messages_.size() == 1) may_get();
}

void table_core::may_get() {
    while (!messages_.empty() && user_->take_get(messages_.front())) {
        messages_.pop();
        user_->message_taken();
    }
}

void table_core::reset() {
    done_.cancel();
    busy_ = false;
    messages_.clear();
    std::ranges::fill(buffers_, buffer_entry{});
}

void table_core::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!messages_.empty()) edges.push_back({path_, "room for an answer to a get request", path_ + ".transmit", {}});
}

core_factory make_table_core(const table_core::spec& s) {
    return [s](const core_place& place) { return std::make_shared<table_core>(place, s); };
}

}  // namespace contraflow::nic
