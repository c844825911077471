// SPDX-License-Identifier: Apache-2.0
// What a load/store unit does beside its main path when addresses take time to translate.
#include <algorithm>

#include "gpu/load_store_unit.h"

namespace contraflow::gpu {

// A hit is over when the request is made: its time is part of the instruction's way here.
void load_store_unit::trace_begin(memory::memory_extension& e, core::sim_time begun, bool translated) const {
    e.times.pass(l1.get_parent_object()->name(), begun);
    if (!translator_) return;
    const core::sim_time now = shared_.events.now();
    e.times.pass(translator_->name(), now - latency_);
    e.times.pass(translator_->tlb().name(), now - latency_);
    if (translated) e.times.pass(translator_->name(), now);
}

void load_store_unit::translated(memory::translation_request& answered) {
    request& r = requests_[answered.tag];
    memory::memory_extension& e = r.sent->extension();
    e.times.pass(translator_->name(), shared_.events.now());
    if (answered.status == memory::translation_status::translated) {
        r.sent->set_address(answered.page.physical(answered.address));
        r.translation = ++translations_;
        translated_.push(e);
        if (!armed_) arm(std::max(shared_.events.now(), next_send_));
        return;
    }
    e.pop_route();
    machine_.profile.completed(r.kind, false, e);
    owner_.memory_failed(*r.wave, std::make_exception_ptr(page_fault(r, answered)));
    complete(answered.tag, false);
}

void load_store_unit::translation_accepted(memory::translation_request&) {
    if (--asking_ == 0 && !armed_) arm(std::max(shared_.events.now(), next_send_));
}

void load_store_unit::send_translated() {
    memory::memory_extension& e = translated_.pop();
    e.milestone(memory::stage::coalescer, shared_.events.now());
    send(requests_[e.last_route()], e.carrier().get_address());
}

// In their order, so that requests for a page keep it: younger ones come behind translated_, or behind the same miss.
template <class Which> void load_store_unit::ask_again(Which which) {
    for (std::size_t n = translated_.size(); n > 0; --n) {
        memory::memory_extension& e = translated_.pop();
        const std::uint32_t number = e.last_route();
        request& r = requests_[number];
        if (!which(r)) {
            translated_.push(e);
            continue;
        }
        if (!drains_.empty()) drained(r);
        r.translation = 0;
        e.milestone(memory::stage::coalescer, shared_.events.now());
        e.times.pass(translator_->tlb().name(), shared_.events.now());
        asking_ += translator_->ask(number, r.kind != access_kind::load, e) ? 0 : 1;
    }
}

// What has been translated and will not be sent for now must not hold up a drain.
void load_store_unit::stop_translated() {
    if (drains_.empty()) return;
    ask_again([this](const request& r) {
        return std::any_of(drains_.begin(), drains_.end(), [&](const range_drain& d) {
            return r.translation <= d.last && d.which.has(r.sent->extension().process, r.line.address);
        });
    });
}

bool load_store_unit::drain(const memory::translation_range& which, memory::completion done) {
    if (paused_) ask_again([&](const request& r) { return which.has(r.sent->extension().process, r.line.address); });
    if (outstanding() == 0) return false;  // of many units, most have nothing to do with most pages
    range_drain d{which, done, translations_, 0};
    for (const request& r : requests_)
        if (r.sent != nullptr && r.translation != 0 && which.has(r.sent->extension().process, r.line.address)) ++d.left;
    if (d.left == 0) return false;
    drains_.push_back(d);
    return true;
}

void load_store_unit::drained(const request& r) {
    const std::uint32_t process = r.sent->extension().process;
    for (range_drain& d : drains_)
        if (r.translation != 0 && r.translation <= d.last && d.which.has(process, r.line.address) && --d.left == 0 &&
            d.done.what != nullptr)
            // Not from here: this may be within a call backward, in which nothing may be sent.
            shared_.events.after({}, d.done.what, d.done.object, d.done.argument);
    std::erase_if(drains_, [](const range_drain& d) { return d.left == 0; });
}

void load_store_unit::forget(const memory::translation_range& which, std::uint64_t epoch) {
    if (translator_) translator_->tlb().forget(which, epoch);
}

core::sim_time load_store_unit::forget_latency() const {
    return translator_ ? translator_->tlb().invalidate_latency() : core::sim_time{};
}

}  // namespace contraflow::gpu
