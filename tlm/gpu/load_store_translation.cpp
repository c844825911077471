// SPDX-License-Identifier: Apache-2.0
// What a load/store unit does beside its main path when addresses take time to translate.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gpu/kernel_launch.h"
#include "gpu/load_store_unit.h"

namespace contraflow::gpu {

void load_store_unit::translated(memory::translation_request& answered) {
    request& r = requests_[answered.tag];
    memory::memory_extension& e = r.sent->extension();
    if (answered.status == memory::translation_status::translated) {
        r.sent->set_address(answered.page.physical(answered.address));
        r.translation = ++translations_;
        translated_.push(e);
        if (!armed_) arm(std::max(shared_.events.now(), next_send_));
        return;
    }
    e.pop_route();
    machine_.profile.completed(r.kind, false, e);
    const char* const what = r.kind == access_kind::load ? "load" : r.kind == access_kind::store ? "store" : "atomic";
    const char* const why = answered.status == memory::translation_status::unmapped ? "where nothing is mapped"
                            : answered.page.rights == memory::access_rights::none   ? "in a page that is closed"
                                                                                    : "in a page for reading only";
    owner_.memory_failed(*r.wave, std::make_exception_ptr(std::runtime_error(
        fmt::format("{} of {} bytes at {:#x}, {}: process {}, GPU {}, unit {}, wavefront {} of CTA {} of kernel '{}'",
                    what, r.line.length, r.line.address, why, e.process, spec_.socket, spec_.number, r.wave->index(),
                    r.wave->cta().number, r.wave->cta().launch->name()))));
    complete(answered.tag, false);
}

void load_store_unit::translation_accepted(memory::translation_request&) {
    asking_ = false;
    if (!armed_) arm(std::max(shared_.events.now(), next_send_));
}

void load_store_unit::send_translated() {
    memory::memory_extension& e = translated_.pop();
    e.milestone(memory::stage::coalescer, shared_.events.now());
    send(requests_[e.last_route()], e.carrier().get_address());
}

void load_store_unit::drain(const memory::translation_range& which, memory::completion done) {
    range_drain d{which, done, translations_, 0};
    for (const request& r : requests_)
        if (r.sent != nullptr && r.translation != 0 && which.has(r.sent->extension().process, r.line.address)) ++d.left;
    if (d.left > 0)
        drains_.push_back(d);
    else if (done.what != nullptr)
        shared_.events.after({}, done.what, done.object, done.argument);
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

void load_store_unit::shoot_down(const memory::translation_range& which, std::uint64_t epoch, memory::completion done) {
    if (!translator_) return drain(which, done);
    shot_down_.push_back({which, done, 0, 0});
    translator_->tlb().invalidate(
        which, epoch,
        {[](void* unit, std::uint64_t) { static_cast<load_store_unit*>(unit)->begin_shot_down_drain(); }, this, 0});
}

void load_store_unit::begin_shot_down_drain() {
    const range_drain first = shot_down_.front();
    shot_down_.erase(shot_down_.begin());
    drain(first.which, first.done);
}

}  // namespace contraflow::gpu
