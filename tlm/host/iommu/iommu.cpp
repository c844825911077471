// SPDX-License-Identifier: Apache-2.0
#include "host/iommu/iommu.h"

#include <fmt/format.h>

namespace contraflow::host {
namespace {

memory::walk_spec placed(memory::walk_spec s, core::sim_time cycle, core::cycles distance) {
    s.cycle = cycle;
    s.distance = cycle * distance.count;
    s.level = memory::stage::iommu;
    return s;
}

}  // namespace

void iommu::spec::describe(config::fields<spec>& f) {
    f("walks", &spec::walks).text("its queue and its walkers");
    f("distance", &spec::distance)
        .in(core::cycles{0}, core::cycles{1'000'000})
        .text("time of a message from a GPU to it, and of one back");
}

iommu::iommu(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s, core::sim_time cycle,
             const memory::radix_table& table)
    : sc_core::sc_module(name),
      events_(shared.events),
      distance_(cycle * s.distance.count),
      first_gpu_(s.first_gpu),
      answers_(shared.events, *this),
      faults_(shared.statistics, std::string(this->name()) + ".faults", "requests",
              "requests answered with a fault: unmapped, or not for that access"),
      holds_(shared.statistics, std::string(this->name()) + ".holds", "requests",
             "requests put aside until their page was made, moved or opened"),
      walks_(this->name(), shared, placed(s.walks, cycle, s.distance), table, *this) {}

iommu::~iommu() = default;

void iommu::walked(memory::translation_request& request) {
    const bool good = request.status == memory::translation_status::translated;
    if (sink_ != nullptr && (good ? sink_->found(request) : sink_->faulted(request)) == walk_verdict::hold) {
        ++holds_;
        request.due = events_.now();
        held_.push(request);
        return;
    }
    if (!good) ++faults_;
    answers_.push(request, events_.now() + distance_);
}

void iommu::leave(memory::translation_request& request) {
    request.spent_in(memory::stage::iommu, events_.now());
    memory::translation_server::answer(request);
}

template <class Do> void iommu::take_held(const memory::translation_range& which, Do what) {
    for (std::size_t n = held_.size(); n > 0; --n) {
        memory::translation_request& r = held_.pop();
        if (!which.has(r.process, r.address)) {
            held_.push(r);
            continue;
        }
        if (r.held_until == core::sim_time{}) r.held_since = r.due;
        r.held_until = events_.now();
        r.spent_in(memory::stage::page_held, r.held_until);
        what(r);
    }
}

void iommu::resume(const memory::translation_range& which) {
    walks_.repeat(which);
    take_held(which, [this](memory::translation_request& r) { walks_.again(r); });
}

void iommu::give_up(const memory::translation_range& which) {
    take_held(which, [this](memory::translation_request& r) {
        if (r.status != memory::translation_status::translated) ++faults_;
        answers_.push(r, events_.now() + distance_);
    });
}

bool iommu::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        held_.clear();
        answers_.reset();
    }
    return walks_.control(verb);
}

void iommu::report_waits(std::vector<core::wait_edge>& edges) const {
    walks_.report_waits(edges);
    if (held_.empty()) return;
    const memory::translation_request& first = held_.front();
    edges.push_back({name(),
                     fmt::format("the page of {:#x} of process {} for unit {} of GPU {}", first.address, first.process,
                                 first.origin.unit, first_gpu_ + first.origin.gpu),
                     "driver", first.due});
}

}  // namespace contraflow::host
