// SPDX-License-Identifier: Apache-2.0
// The queue before the tags, control and reports; cache_access.cpp has the requests, cache_below.cpp the next level.
#include "memory/cache.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::memory {
namespace {

unsigned sets_of(const cache_spec& s) {
    const std::uint64_t set_bytes = s.line.count * s.ways;
    if (s.line.count > payload::max_bytes || s.line.count < cache_lines::least_line_bytes ||
        !std::has_single_bit(s.line.count))
        throw std::invalid_argument("cache: lines are of 32 to 128 bytes, a power of two");
    if (s.ways == 0 || s.ways > 64 || s.size.count == 0 || s.size.count % set_bytes != 0)
        throw std::invalid_argument(fmt::format("cache: {} are no whole number of sets of {} lines of {}",
                                                core::to_text(s.size), s.ways, core::to_text(s.line)));
    if (s.mshrs == 0 || s.mshrs > 65534 || s.queue == 0 || s.request_queue < 2 || s.write_backs == 0 || s.accesses == 0)
        throw std::invalid_argument("cache: a queue of it has no room");
    return static_cast<unsigned>(s.size.count / set_bytes);
}

}  // namespace

cache::cache(const sc_core::sc_module_name& name, const resources& shared, const cache_spec& s)
    : sc_core::sc_module(name),
      up("up", shared, *this),
      down("down", shared, *this),
      events_(shared.events),
      payloads_(shared.payloads),
      spec_(s),
      line_bytes_(static_cast<unsigned>(s.line.count)),
      line_shift_(static_cast<unsigned>(std::countr_zero(s.line.count))),
      hit_latency_(s.cycle * s.hit_latency.count),
      fill_latency_(s.cycle * s.fill_latency.count),
      lines_(sets_of(s), s.ways, static_cast<unsigned>(s.line.count)),
      sets_are_power_of_two_(std::has_single_bit(lines_.sets())),
      replacement_(make_replacement(s.replacement, {lines_.sets(), s.ways, s.seed})),
      statistics_(shared.statistics, sc_object::name()),
      hits_(shared.events, *this),
      fills_(shared.events, *this),
      misses_(s.mshrs),
      slots_(s.write_backs) {
    for (unsigned i = s.mshrs; i > 0; --i) free_misses_.push_back(i - 1);
    for (unsigned i = s.write_backs; i > 0; --i) free_slots_.push_back(i - 1);
}

cache::~cache() = default;

bool cache::request_arrived(unsigned, memory_extension& request) {
    if (!intake_.taking) return false;
    const core::sim_time now = events_.now();
    request.times.pass(name(), now);
    if (queue_.empty() && intake_.serving && may_access(now) && serve(request)) {
        end_stall(now);
        count_access(now);
        ++accepted_;
        return true;
    }
    if (queue_.size() >= spec_.queue) return false;
    queue_.push(request);
    ++accepted_;
    if (waiting_for_ == cache_wait::none && intake_.serving) arm(std::max(now, cycle_end_));
    return true;
}

void cache::count_access(core::sim_time now) {
    if (now >= cycle_end_) {
        cycle_end_ = now + spec_.cycle;
        accessed_ = 0;
    }
    ++accessed_;
}

void cache::arm(core::sim_time when) {
    if (armed_) return;
    armed_ = true;
    events_.at(
        when,
        [](void* object, std::uint64_t epoch) {
            auto* const self = static_cast<cache*>(object);
            if (self->epoch_ != epoch) return;
            self->armed_ = false;
            self->serve_queue();
        },
        this, epoch_);
}

void cache::serve_queue() {
    const core::sim_time now = events_.now();
    for (;;) {
        refill();
        if (queue_.empty() || !intake_.serving) break;
        if (!may_access(now)) {
            arm(cycle_end_);
            break;
        }
        memory_extension& oldest = queue_.pop();
        if (!serve(oldest)) {
            queue_.push_front(oldest);
            break;
        }
        end_stall(now);
        count_access(now);
    }
    if (flush_.active) pump_flush();
}

void cache::refill() {
    if (!intake_.taking || up.held() == nullptr || queue_.size() >= spec_.queue) return;
    queue_.push(up.take_request());
    ++accepted_;
}

bool cache::stall(cache_wait why) {
    const core::sim_time now = events_.now();
    if (waiting_for_ != why) {
        end_stall(now);
        waiting_for_ = why;
        waiting_since_ = now;
    }
    return false;
}

void cache::end_stall(core::sim_time now) {
    if (waiting_for_ == cache_wait::none) return;
    statistics_.count.waits[static_cast<std::size_t>(waiting_for_) - 1] += (now - waiting_since_).ps;
    waiting_for_ = cache_wait::none;
}

void cache::answer(memory_extension& request) {
    request.milestone(own_stage(request), events_.now());
    ++answered_;
    up.respond(request);
}

void cache::response_port_ready(unsigned) {
    if (waiting_for_ == cache_wait::response) serve_queue();
}

bool cache::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate: invalidate(); return true;
    case core::control_verb::flush: return flush({}, {});
    default: break;
    }
    if (!intake_.control(verb)) return false;
    if (intake_.serving) look_again();
    return true;
}

bool cache::at_rest() const {
    return accepted_ == answered_ && fills_asked_ == fills_got_ && write_backs_begun_ == write_backs_done_ &&
           up.ready() && !flush_.active;
}

void cache::reset() {
    for (miss& m : misses_) {
        if (m.fill != nullptr) m.fill->release();
        m = {};
    }
    for (write_back_slot& s : slots_) {
        if (s.data != nullptr) s.data->release();
        s = {};
    }
    free_misses_.clear();
    free_slots_.clear();
    for (unsigned i = spec_.mshrs; i > 0; --i) free_misses_.push_back(i - 1);
    for (unsigned i = spec_.write_backs; i > 0; --i) free_slots_.push_back(i - 1);
    up.reset();
    down.reset();
    lines_.clear();
    replacement_->reset();
    statistics_.misses.set(events_.now(), 0);
    intake_ = {};
    queue_.clear();
    below_.clear();
    hits_.reset();
    fills_.reset();
    cycle_end_ = fill_slot_ = {};
    accessed_ = 0;
    armed_ = false;
    waiting_for_ = cache_wait::none;
    flush_ = {};
    passed_on_ = 0;
    accepted_ = answered_ = fills_asked_ = fills_got_ = write_backs_begun_ = write_backs_done_ = 0;
    ++epoch_;
}

void cache::report_waits(std::vector<core::wait_edge>& edges) const {
    static constexpr std::array<const char*, cache_waits + 1> resources{"nothing",
                                                                        "a miss register",
                                                                        "room to merge with a miss",
                                                                        "a line of the set",
                                                                        "an invalidated line to come",
                                                                        "room in its request queue",
                                                                        "a line to be written back",
                                                                        "its responses to be taken"};
    if (waiting_for_ != cache_wait::none) {
        const bool above = waiting_for_ == cache_wait::response;
        edges.push_back({name(), resources[static_cast<std::size_t>(waiting_for_)],
                         above ? up.peer_name() : down.peer_name(), waiting_since_});
    }
    if (!down.ready())
        edges.push_back({down.name(), "acceptance of a request", down.peer_name(), down.sending_since()});
    if (!up.ready()) edges.push_back({up.name(), "acceptance of a response", up.peer_name(), up.responding_since()});
    const miss* oldest = nullptr;
    for (const miss& m : misses_)
        if (m.fill != nullptr &&
            (oldest == nullptr || m.fill->extension().times.begun() < oldest->fill->extension().times.begun()))
            oldest = &m;
    if (oldest != nullptr)
        edges.push_back({down.name(), "a line", down.peer_name(), oldest->fill->extension().times.begun()});
    if (passed_on_ > 0)
        edges.push_back({down.name(), fmt::format("answers to {} requests that it passed on", passed_on_),
                         down.peer_name(), passed_on_since_});
}

void cache::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests", accepted_, answered_);
    checks.check(fmt::format("{}: lines asked for and received", name()), "lines", fills_asked_, fills_got_);
    checks.check(fmt::format("{}: write-backs sent and acknowledged", name()), "lines", write_backs_begun_,
                 write_backs_done_);
}

}  // namespace contraflow::memory
