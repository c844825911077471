// SPDX-License-Identifier: Apache-2.0
#include "gpu/dispatch/cta_dispatcher.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gpu/dispatch/cta_too_large.h"

namespace contraflow::gpu {

void cta_dispatcher::spec::describe(config::fields<spec>& f) {
    f("order", &spec::order).text("which socket runs a CTA: equal runs of neighbours, or each socket in turn");
    launch_costs::describe(f);
}

cta_too_large::cta_too_large(const kernel_launch& k, const compute_unit_spec& unit)
    : std::invalid_argument(fmt::format("kernel {}: a CTA of {} wavefronts and {} of scratchpad; a unit has {} and {}",
                                        k.name(), k.waves_per_cta(unit.wave_width), core::to_text(k.shared()),
                                        unit.wave_slots, core::to_text(unit.scratchpad))),
      kernel_(k.name()),
      waves_(k.waves_per_cta(unit.wave_width)),
      shared_(k.shared()) {}

cta_dispatcher::cta_dispatcher(core::scheduler& events, observe::statistics& statistics, std::string path,
                               const spec& s, core::sim_time cycle, unsigned sockets)
    : events_(events),
      path_(std::move(path)),
      spec_(s),
      cycle_(cycle),
      sockets_(sockets),
      slots_(s.concurrent),
      calls_(events, *this),
      kernels_(statistics, path_ + ".kernels", "kernels", "kernels that have ended"),
      ctas_(statistics, path_ + ".ctas", "CTAs", "CTAs that have ended") {
    if (sockets == 0) throw std::invalid_argument(fmt::format("{}: no sockets", path_));
    if (s.concurrent == 0) throw std::invalid_argument(fmt::format("{}: no kernel at a time", path_));
    for (slot n = s.concurrent; n > 0; --n) free_.push_back(n - 1);
    for (job& j : slots_) j.shares.resize(sockets);
    jobs_.reserve(s.concurrent);
}

void cta_dispatcher::add_unit(unsigned socket, compute_unit& unit) {
    if (sockets_[0].units.empty()) first_socket_ = unit.configuration().socket - socket;
    if (socket != socket_of(unit)) throw std::invalid_argument(fmt::format("{}: a unit of another socket", path_));
    sockets_.at(socket).units.push_back(&unit);
}

void cta_dispatcher::check_room(const kernel_launch& k) const {
    for (const socket& s : sockets_) {
        if (s.units.empty()) throw std::invalid_argument(fmt::format("{}: a socket without units", path_));
        for (const compute_unit* u : s.units)
            if (!u->can_hold(k)) throw cta_too_large(k, u->configuration());
    }
}

void cta_dispatcher::submit(grid_part& p) {
    check_room(p.of());
    waiting_.push_back(&p);
    launch_next();
}

void cta_dispatcher::launch_next() {
    while (!waiting_.empty() && (spec_.queued || !free_.empty())) {
        if (free_.empty()) {
            free_.push_back(static_cast<slot>(slots_.size()));
            slots_.emplace_back().shares.resize(sockets_.size());
        }
        const slot n = free_.back();
        free_.pop_back();
        jobs_.push_back(n);
        job& j = slots_[n];
        j.part = waiting_.front();
        waiting_.pop_front();
        j.at = phase::launching;
        j.since = events_.now();
        calls_.after<&cta_dispatcher::launched>(cycle_ * spec_.launch_cost.count, n);
    }
}

void cta_dispatcher::launched(slot n) {
    slots_[n].at = phase::launched;
    begin_next();
}

unsigned cta_dispatcher::running() const {
    return static_cast<unsigned>(std::ranges::count_if(jobs_, [this](slot n) {
        const phase at = slots_[n].at;
        return at == phase::beginning || at == phase::running || at == phase::ending;
    }));
}

// In order.
void cta_dispatcher::begin_next() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const phase at = slots_[jobs_[i]].at;
        if (at == phase::launching) return;
        if (at != phase::launched) continue;
        if (running() == spec_.concurrent) return;
        begin(jobs_[i]);
    }
}

void cta_dispatcher::begin(slot n) {
    job& j = slots_[n];
    j.at = phase::beginning;
    j.since = j.part->begun = events_.now();
    if (pass_boundaries(j, &kernel_boundary_if::kernel_begins)) start_grid(n);
}

bool cta_dispatcher::pass_boundaries(job& j, bool (kernel_boundary_if::*which)(const kernel_launch&)) {
    j.boundaries_missing = 1;  // so that a boundary that is done within the call doesn't end the phase
    for (kernel_boundary_if* b : boundaries_) {
        ++j.boundaries_missing;
        if ((b->*which)(j.part->of())) --j.boundaries_missing;
    }
    return --j.boundaries_missing == 0;
}

void cta_dispatcher::boundary_done(const kernel_launch& k) {
    const slot n = slot_of(k);
    if (--slots_[n].boundaries_missing != 0) return;
    if (slots_[n].at == phase::beginning)
        start_grid(n);
    else
        tear_down(n);
}

void cta_dispatcher::start_grid(slot n) {
    job& j = slots_[n];
    j.at = phase::running;
    j.since = events_.now();
    j.unfinished = j.part->run().count();
    deal(j);
    for (unsigned i = 0; i < sockets_.size(); ++i) {
        socket& s = sockets_[i];
        if (jobs_.size() == 1) s.next_start = events_.now();
        for (bool any = older_are_dealt_out(n, i); any;) {
            any = false;
            for (compute_unit* u : s.units) any |= start_one(j, i, *u);
        }
    }
}

void cta_dispatcher::deal(job& j) {
    const cta_run whole = j.part->run();
    const std::uint64_t n = sockets_.size();
    for (std::uint64_t s = 0; s < n; ++s) {
        if (spec_.order == cta_order::contiguous) {
            const cta_run own = part_of(whole, s, n);
            j.shares[s] = {own.begin, own.end};
        } else {
            j.shares[s] = {whole.begin + s, whole.end};
        }
    }
}

bool cta_dispatcher::older_are_dealt_out(slot n, unsigned at) const {
    for (const slot older : jobs_) {
        if (older == n) return true;
        if (slots_[older].at == phase::running && slots_[older].shares[at].left()) return false;
    }
    return true;
}

void cta_dispatcher::fill(compute_unit& unit) {
    const unsigned at = socket_of(unit);
    for (const slot n : jobs_) {
        job& j = slots_[n];
        if (j.at != phase::running) continue;
        while (start_one(j, at, unit)) {}
        if (j.shares[at].left()) return;
    }
}

bool cta_dispatcher::start_one(job& j, unsigned at, compute_unit& unit) {
    share& own = j.shares[at];
    if (!own.left() || !unit.has_room(j.part->of())) return false;
    socket& s = sockets_[at];
    const core::sim_time when = std::max(s.next_start, events_.now());
    s.next_start = when + cycle_ * spec_.cta_interval.count;
    const std::uint64_t number = own.next;
    own.next += spec_.order == cta_order::contiguous ? 1 : sockets_.size();
    ++started_total_;
    unit.start_cta(j.part->of(), number, when);
    return true;
}

cta_dispatcher::slot cta_dispatcher::slot_of(const kernel_launch& k) const {
    for (const slot n : jobs_)
        if (&slots_[n].part->of() == &k) return n;
    throw std::logic_error(fmt::format("{}: kernel {} is not under way", path_, k.name()));
}

void cta_dispatcher::cta_finished(compute_unit& unit, const kernel_launch& k) {
    ++finished_total_;
    ++ctas_;
    const slot n = slot_of(k);
    // This may run within a backward call of the memory system, so the kernel ends in a callback of its own.
    if (--slots_[n].unfinished == 0) calls_.after<&cta_dispatcher::end>({}, n);
    fill(unit);
}

void cta_dispatcher::cta_failed(const kernel_launch& k, std::exception_ptr error) {
    slots_[slot_of(k)].part->fail(std::move(error));
}

void cta_dispatcher::reset(const std::exception_ptr& why) {
    calls_.cancel();
    started_total_ = finished_total_;
    std::deque<grid_part*> dropped;  // launches that hosts make from now on come after these
    for (const slot n : jobs_) {
        dropped.push_back(slots_[n].part);
        free_.push_back(n);
    }
    jobs_.clear();
    dropped.insert(dropped.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    for (grid_part* p : dropped) {
        p->fail(why);
        p->ended_at = events_.now();
        p->end();
    }
}

void cta_dispatcher::end(slot n) {
    slots_[n].at = phase::ending;
    slots_[n].since = events_.now();
    if (pass_boundaries(slots_[n], &kernel_boundary_if::kernel_ends)) tear_down(n);
}

void cta_dispatcher::tear_down(slot n) {
    if (spec_.teardown.count == 0) return finish(n);
    slots_[n].at = phase::leaving;
    slots_[n].since = events_.now();
    begin_next();
    calls_.after<&cta_dispatcher::finish>(cycle_ * spec_.teardown.count, n);
}

void cta_dispatcher::finish(slot n) {
    grid_part& p = *slots_[n].part;
    slots_[n].part = nullptr;
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), n));
    free_.push_back(n);
    ++kernels_;
    p.ended_at = events_.now();
    launch_next();
    begin_next();
    p.end();
}

void cta_dispatcher::report_waits(std::vector<core::wait_edge>& edges) const {
    bool runs = false;
    core::sim_time since{};
    for (const slot n : jobs_) {
        const job& j = slots_[n];
        if (j.at == phase::beginning || j.at == phase::ending)
            edges.push_back({path_, "kernel boundary", "memory", j.since});
        if (j.at != phase::running || runs) continue;
        runs = true;
        since = j.since;
    }
    if (!runs) return;
    for (const socket& s : sockets_)
        for (const compute_unit* u : s.units)
            if (!u->idle()) edges.push_back({path_, "end of a CTA", u->name(), since});
}

void cta_dispatcher::check(observe::conservation& checks) const {
    checks.check(path_ + ": CTAs dealt out and finished", "CTAs", started_total_, finished_total_);
}

}  // namespace contraflow::gpu
