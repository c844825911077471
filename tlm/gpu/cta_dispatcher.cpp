// SPDX-License-Identifier: Apache-2.0
#include "gpu/cta_dispatcher.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gpu/cta_too_large.h"

namespace contraflow::gpu {

void cta_dispatcher::spec::describe(config::fields<spec>& f) {
    f("order", &spec::order).text("which socket runs a CTA: equal runs of neighbours, or each socket in turn");
    constexpr core::cycles longest{1'000'000'000};
    f("launch_cost", &spec::launch_cost)
        .in(core::cycles{0}, longest)
        .text("from the end of what ran before, or the launch, to the first CTA");
    f("cta_interval", &spec::cta_interval)
        .in(core::cycles{0}, longest)
        .text("between the starts of two CTAs in one socket");
}

cta_too_large::cta_too_large(const kernel_launch& k, const compute_unit_spec& unit)
    : std::invalid_argument(fmt::format("kernel {}: a CTA of {} wavefronts and {} of scratchpad; a unit has {} and {}",
                                        k.name(), k.waves_per_cta(), core::to_text(k.shared()), unit.wave_slots,
                                        core::to_text(unit.scratchpad))),
      kernel_(k.name()),
      waves_(k.waves_per_cta()),
      shared_(k.shared()) {}

cta_dispatcher::cta_dispatcher(core::scheduler& events, observe::statistics& statistics, std::string path,
                               const spec& s, core::sim_time cycle, unsigned sockets)
    : events_(events),
      path_(std::move(path)),
      spec_(s),
      cycle_(cycle),
      sockets_(sockets),
      kernels_(statistics, path_ + ".kernels", "kernels", "kernels that have ended"),
      ctas_(statistics, path_ + ".ctas", "CTAs", "CTAs that have ended") {
    if (sockets == 0) throw std::invalid_argument(fmt::format("{}: no sockets", path_));
}

void cta_dispatcher::add_unit(unsigned socket, compute_unit& unit) {
    if (socket != socket_of(unit)) throw std::invalid_argument(fmt::format("{}: a unit of another socket", path_));
    sockets_.at(socket).units.push_back(&unit);
}

void cta_dispatcher::submit(launch_state& l) {
    for (const socket& s : sockets_) {
        if (s.units.empty()) throw std::invalid_argument(fmt::format("{}: a socket without units", path_));
        for (const compute_unit* u : s.units)
            if (!u->can_hold(l.launch)) throw cta_too_large(l.launch, u->configuration());
    }
    queue_.push_back(&l);
    if (phase_ == phase::idle) launch_next();
}

void cta_dispatcher::launch_next() {
    phase_since_ = events_.now();
    phase_ = queue_.empty() ? phase::idle : phase::launching;
    if (phase_ == phase::launching) schedule<&cta_dispatcher::begin>(cycle_ * spec_.launch_cost.count);
}

void cta_dispatcher::begin() {
    phase_ = phase::beginning;
    phase_since_ = queue_.front()->begun = events_.now();
    if (pass_boundaries(&kernel_boundary_if::kernel_begins)) start_grid();
}

bool cta_dispatcher::pass_boundaries(bool (kernel_boundary_if::*which)(const kernel_launch&)) {
    boundaries_missing_ = 1;  // so that one which is done within the call doesn't end the phase
    for (kernel_boundary_if* b : boundaries_) {
        ++boundaries_missing_;
        if ((b->*which)(queue_.front()->launch)) --boundaries_missing_;
    }
    return --boundaries_missing_ == 0;
}

void cta_dispatcher::boundary_done() {
    if (--boundaries_missing_ != 0) return;
    if (phase_ == phase::beginning)
        start_grid();
    else
        finish();
}

void cta_dispatcher::start_grid() {
    phase_ = phase::running;
    phase_since_ = events_.now();
    const kernel_launch& k = queue_.front()->launch;
    unfinished_ = k.ctas();
    deal(k);
    for (socket& s : sockets_) {
        s.next_start = events_.now();
        for (bool any = true; any;) {
            any = false;
            for (compute_unit* u : s.units) any |= start_one(s, *u);
        }
    }
}

void cta_dispatcher::deal(const kernel_launch& k) {
    const std::uint64_t n = sockets_.size();
    const std::uint64_t each = k.ctas() / n;
    const std::uint64_t longer = k.ctas() % n;  // the first ones have one more
    std::uint64_t next = 0;
    for (std::uint64_t s = 0; s < n; ++s) {
        sockets_[s].next = spec_.order == cta_order::contiguous ? next : s;
        next += each + (s < longer ? 1 : 0);
        sockets_[s].end = spec_.order == cta_order::contiguous ? next : k.ctas();
    }
}

bool cta_dispatcher::start_one(socket& s, compute_unit& unit) {
    const kernel_launch& k = queue_.front()->launch;
    if (s.next >= s.end || !unit.has_room(k)) return false;
    const core::sim_time when = std::max(s.next_start, events_.now());
    s.next_start = when + cycle_ * spec_.cta_interval.count;
    const std::uint64_t number = s.next;
    s.next += spec_.order == cta_order::contiguous ? 1 : sockets_.size();
    ++started_total_;
    unit.start_cta(k, number, when);
    return true;
}

void cta_dispatcher::cta_finished(compute_unit& unit) {
    ++finished_total_;
    ++ctas_;
    // May be within a call backward of the memory system: what ends a kernel happens in a callback of its own.
    if (--unfinished_ == 0)
        schedule<&cta_dispatcher::end>({});
    else
        while (start_one(sockets_[socket_of(unit)], unit)) {}
}

void cta_dispatcher::cta_failed(std::exception_ptr error) {
    launch_state& l = *queue_.front();
    if (!l.error) l.error = std::move(error);
}

void cta_dispatcher::unit_enabled(compute_unit& unit) {
    if (phase_ == phase::running)
        while (start_one(sockets_[socket_of(unit)], unit)) {}
}

void cta_dispatcher::reset(std::exception_ptr why) {
    ++epoch_;
    phase_ = phase::idle;
    boundaries_missing_ = 0;
    started_total_ = finished_total_;
    for (socket& s : sockets_) s.next = s.end = 0;
    for (std::size_t left = queue_.size(); left > 0; --left) {  // what hosts launch now comes behind these
        launch_state& l = *queue_.front();
        queue_.pop_front();
        if (!l.error) l.error = why;
        l.ended_at = events_.now();
        l.end();
    }
}

void cta_dispatcher::end() {
    phase_ = phase::ending;
    phase_since_ = events_.now();
    if (pass_boundaries(&kernel_boundary_if::kernel_ends)) finish();
}

void cta_dispatcher::finish() {
    launch_state& l = *queue_.front();
    queue_.pop_front();
    ++kernels_;
    l.ended_at = events_.now();
    launch_next();
    l.end();
}

void cta_dispatcher::report_waits(std::vector<core::wait_edge>& edges) const {
    if (phase_ == phase::beginning || phase_ == phase::ending)
        edges.push_back({path_, "kernel boundary", "memory", phase_since_});
    if (phase_ != phase::running) return;
    for (const socket& s : sockets_)
        for (const compute_unit* u : s.units)
            if (!u->at_rest()) edges.push_back({path_, "end of a CTA", u->name(), phase_since_});
}

void cta_dispatcher::check(observe::conservation& checks) const {
    checks.check(path_ + ": CTAs dealt out and finished", "CTAs", started_total_, finished_total_);
}

}  // namespace contraflow::gpu
