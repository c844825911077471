// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "memory/transaction/byte_enables.h"

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
      look_up_stages_(s.hit_latency.count * s.accesses),
      lines_(sets_of(s), s.ways, static_cast<unsigned>(s.line.count)),
      sets_are_power_of_two_(std::has_single_bit(lines_.sets())),
      replacement_(make_replacement(s.replacement, {lines_.sets(), s.ways, s.seed})),
      statistics_(shared.statistics, sc_object::name()),
      serve_(shared.events, *this),
      hits_(shared.events, *this),
      fills_(shared.events, *this),
      misses_(s.mshrs),
      looking_up_(shared.events, *this),
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

bool cache::idle() const {
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
    looking_up_.reset();
    below_.clear();
    hits_.reset();
    fills_.reset();
    cycle_end_ = fill_slot_ = {};
    accessed_ = 0;
    serve_.cancel();
    waiting_for_ = cache_wait::none;
    flush_ = {};
    passed_on_ = 0;
    accepted_ = answered_ = fills_asked_ = fills_got_ = write_backs_begun_ = write_backs_done_ = 0;
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
        if (m.under_way && (oldest == nullptr || m.since < oldest->since)) oldest = &m;
    if (oldest != nullptr) edges.push_back({down.name(), "a line", down.peer_name(), oldest->since});
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

// ---- The steps of one request

bool cache::decode(const tlm::tlm_generic_payload& trans, access& a) const {
    const std::uint64_t address = trans.get_address();
    a.length = trans.get_data_length();
    a.offset = static_cast<unsigned>(address & (line_bytes_ - 1));
    a.line = address - a.offset;
    if (a.length == 0 || a.length > line_bytes_ - a.offset || trans.get_streaming_width() < a.length ||
        trans.get_data_ptr() == nullptr)
        return false;
    const std::uint8_t* const enables = trans.get_byte_enable_ptr();
    a.need = enables == nullptr ? byte_mask::range(a.offset, a.length)
                                : byte_mask::enabled(a.offset, a.length, enables, trans.get_byte_enable_length());
    a.set = set_of(a.line);
    a.place = lines_.find(a.set, a.line);
    return true;
}

bool cache::serve(memory_extension& request) {
    if (!up.ready()) return stall(cache_wait::response);
    const tlm::tlm_generic_payload& trans = request.carrier();
    access a;
    if (!decode(trans, a)) {
        refuse(request, tlm::TLM_BURST_ERROR_RESPONSE);
        return true;
    }
    switch (trans.get_command()) {
    case tlm::TLM_READ_COMMAND: return serve_read(request, a);
    case tlm::TLM_WRITE_COMMAND: return serve_write(request, a);
    case tlm::TLM_IGNORE_COMMAND: return serve_atomic(request, a);
    }
    refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
    return true;
}

void cache::refuse(memory_extension& request, tlm::tlm_response_status status) {
    request.carrier().set_response_status(status);
    ++statistics_.count.refused;
    hit(request);
}

bool cache::serve_read(memory_extension& request, access& a) {
    if (passes(request)) {
        if (!pass_by(request, a)) return false;
    } else if (has(a)) {
        finish(request, a);
        replacement_->used(a.set, way_of(a));
        ++statistics_.count.read_hits;
        hit(request);
    } else if (a.place == cache_lines::none && request.policy == cache_policy::streaming) {
        if (!pass_on(request)) return false;
    } else if (!serve_miss(request, a)) {
        return false;
    }
    ++statistics_.count.reads;
    return true;
}

bool cache::serve_write(memory_extension& request, access& a) {
    const bool here = a.place != cache_lines::none;
    // The write must follow an atomic operation that waits for these bytes. The level above keeps its data meanwhile.
    if (here && lines_.pending(a.place) && (misses_[lines_.miss_of(a.place)].modified & a.need).any())
        return stall(cache_wait::merge);
    const bool on = spec_.writes == write_policy::through || passes(request) ||
                    (!here && request.policy == cache_policy::streaming);
    if (on) {
        if (!pass_on(request)) return false;
    } else if (!here) {
        if (const cache_wait why = make_room(a, 0); why != cache_wait::none) return stall(why);
        lines_.occupy(a.place, a.line);
        replacement_->filled(a.set, way_of(a));
    }
    if (a.place != cache_lines::none && request.policy != cache_policy::uncached) {
        transfer(request.carrier(), lines_.data(a.place) + a.offset);
        if (!lines_.whole(a.place)) lines_.set_valid(a.place, lines_.valid(a.place) | a.need);
        if (!on)
            lines_.set_dirty(a.place, lines_.dirty_bytes(a.place) | a.need);
        else if (lines_.dirty(a.place))
            lines_.set_dirty(a.place, lines_.dirty_bytes(a.place) & ~a.need);
        if (here) replacement_->used(a.set, way_of(a));
    }
    if (here) ++statistics_.count.write_hits;
    ++statistics_.count.writes;
    if (!on) {
        request.carrier().set_response_status(tlm::TLM_OK_RESPONSE);
        hit(request);
    }
    return true;
}

bool cache::serve_atomic(memory_extension& request, access& a) {
    if (request.atomic().op == atomic_op::none) {  // the transaction has no effect on memory
        request.carrier().set_response_status(tlm::TLM_OK_RESPONSE);
        hit(request);
        return true;
    }
    if (spec_.atomics == atomics_at::next || passes(request)) {
        if (!pass_by(request, a)) return false;
    } else if (has(a)) {
        if (finish(request, a)) lines_.set_dirty(a.place, lines_.dirty_bytes(a.place) | a.need);
        replacement_->used(a.set, way_of(a));
        ++statistics_.count.atomic_hits;
        hit(request);
    } else if (!serve_miss(request, a)) {
        return false;
    }
    ++statistics_.count.atomics;
    return true;
}

bool cache::finish(memory_extension& request, const access& a) {
    tlm::tlm_generic_payload& trans = request.carrier();
    std::uint8_t* const bytes = lines_.data(a.place) + a.offset;
    bool done = true;
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND)
        done = perform(request.atomic(), bytes, trans.get_data_ptr(), trans.get_byte_enable_ptr(),
                       trans.get_byte_enable_length(), a.length);
    else
        transfer(trans, bytes);
    trans.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    return done;
}

bool cache::serve_miss(memory_extension& request, access& a) {
    const core::sim_time now = events_.now();
    const bool here = a.place != cache_lines::none;
    const bool modifies = request.carrier().get_command() == tlm::TLM_IGNORE_COMMAND;
    if (here && lines_.pending(a.place)) {
        miss& under_way = misses_[lines_.miss_of(a.place)];
        if (under_way.stale) return stall(cache_wait::stale_fill);
        const std::size_t waiting = under_way.targets.size() + (under_way.fill == nullptr ? 1 : 0);
        if (waiting > spec_.mshr_targets) return stall(cache_wait::merge);
        request.milestone(own_stage(request), now);
        under_way.targets.push(request);
        if (modifies) under_way.modified = under_way.modified | a.need;
        replacement_->used(a.set, way_of(a));
        ++statistics_.count.merged;
        return true;
    }
    if (free_misses_.empty()) return stall(cache_wait::miss_register);
    if (here) {
        if (!room_below(1)) return stall(cache_wait::request_queue);
        replacement_->used(a.set, way_of(a));
    } else {
        if (const cache_wait why = make_room(a, 1); why != cache_wait::none) return stall(why);
        lines_.occupy(a.place, a.line);
        replacement_->filled(a.set, way_of(a));
    }
    const std::uint32_t number = free_misses_.back();
    free_misses_.pop_back();
    lines_.set_pending(a.place, number);
    request.milestone(own_stage(request), now);
    miss& fresh = misses_[number];
    fresh.line = a.place;
    fresh.under_way = true;
    fresh.since = now;
    fresh.stale = false;
    fresh.modified = modifies ? a.need : byte_mask{};
    memory_extension* ask = &request;
    if (!asks_itself(request, a)) {
        fresh.fill = &payloads_.take();
        fresh.fill->read(a.line, line_bytes_);
        ask = &fresh.fill->extension();
        ask->stand_for(request, now);
        fresh.targets.push(request);
    }
    ask->push_route(number);
    ++statistics_.count.fills;
    ++fills_asked_;
    statistics_.misses.set(now, static_cast<double>(misses_.size() - free_misses_.size()));
    send_down(*ask);
    return true;
}

// A second transaction for the same bytes would cost the host time and memory, and tell nothing.
bool cache::asks_itself(const memory_extension& request, const access& a) const {
    const tlm::tlm_generic_payload& trans = request.carrier();
    return trans.is_read() && a.length == line_bytes_ && trans.get_byte_enable_ptr() == nullptr;
}

cache_wait cache::make_room(access& a, std::size_t requests) {
    if (const std::uint32_t unused = lines_.find_unused(a.set); unused != cache_lines::none) {
        if (!room_below(requests)) return cache_wait::request_queue;
        a.place = unused;
        return cache_wait::none;
    }
    const std::uint64_t candidates = lines_.not_pending(a.set);
    if (candidates == 0) return cache_wait::set;
    const std::uint32_t victim = lines_.line_of(a.set, replacement_->victim(a.set, candidates));
    const bool dirty = lines_.dirty(victim);
    if (!room_below(requests + (dirty ? 1 : 0))) return cache_wait::request_queue;
    if (dirty && !room_to_write_back()) return cache_wait::write_back;
    if (dirty) write_back(victim);
    ++statistics_.count.evictions;
    lines_.release(victim);
    a.place = victim;
    return cache_wait::none;
}

// The next level answers. Newer bytes of this level go there first, and the copy here is not used again; an uncached
// request leaves both alone.
bool cache::pass_by(memory_extension& request, const access& a) {
    if (a.place != cache_lines::none && request.policy != cache_policy::uncached) {
        const bool dirty = lines_.dirty(a.place);
        if (!room_below(dirty ? 2 : 1)) return stall(cache_wait::request_queue);
        if (dirty && !room_to_write_back()) return stall(cache_wait::write_back);
        if (dirty) write_back(a.place);
        invalidate_line(a.place);
    }
    return pass_on(request);
}

bool cache::pass_on(memory_extension& request) {
    if (!room_below(1)) return stall(cache_wait::request_queue);
    request.push_route(passed_on_mark);
    ++statistics_.count.passed_on;
    if (passed_on_++ == 0) passed_on_since_ = events_.now();
    send_down(request);
    return true;
}

// ---- A cache and the next level: fills, write-backs, flush and invalidation

void cache::looked_up(memory_extension& request) {
    if (below_.empty() && down.ready()) {
        transmit(request);
        if (waiting_for_ == cache_wait::request_queue || flush_.active) look_again();
    } else {
        below_.push(request);
    }
}

void cache::transmit(memory_extension& request) {
    request.milestone(own_stage(request), events_.now());
    down.send(request);
}

void cache::request_port_ready(unsigned) {
    while (!below_.empty() && down.ready()) transmit(below_.pop());
    if (waiting_for_ == cache_wait::request_queue || flush_.active) serve_queue();
}

bool cache::response_arrived(unsigned, memory_extension& request) {
    const std::uint32_t mark = request.pop_route();
    request.times.pass(name(), events_.now());
    if (mark == passed_on_mark) {
        --passed_on_;
        answer(request);
    } else if ((mark & write_back_mark) != 0) {
        write_back_done(mark & ~write_back_mark);
    } else {
        fill_arrived(mark, request);
    }
    return true;
}

void cache::fill_arrived(std::uint32_t number, memory_extension& fill_request) {
    const core::sim_time now = events_.now();
    miss& m = misses_[number];
    const std::uint32_t line = m.line;
    tlm::tlm_generic_payload& answer = fill_request.carrier();
    std::uint8_t* const bytes = answer.get_data_ptr();
    // All of this data is needed and is probably not in the host's cache: fetch it in parallel.
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + line_bytes_ / 2);
    __builtin_prefetch(lines_.data(line), 1);
    __builtin_prefetch(lines_.data(line) + line_bytes_ / 2, 1);
    if (!m.targets.empty()) {
        __builtin_prefetch(&m.targets.front(), 1);
        __builtin_prefetch(&m.targets.front().times, 1);
    }
    const bool itself = m.fill == nullptr;
    const bool arrived = answer.is_response_ok();
    if (arrived) {
        const byte_mask valid = lines_.valid(line);
        if (valid.any()) {  // newer than what the next level had
            (lines_.whole_line() & ~valid).copy(lines_.data(line), bytes, line_bytes_);
            if (itself) valid.copy(bytes, lines_.data(line), line_bytes_);
        } else {
            std::memcpy(lines_.data(line), bytes, line_bytes_);
        }
        lines_.set_valid(line, lines_.whole_line());
    }
    core::sim_time slot = std::max(now + fill_latency_, fill_slot_);
    if (itself) {
        if (!arrived) ++statistics_.count.refused;
        fills_.push(fill_request, slot);
        slot += spec_.cycle;
    }
    for (bool first = !itself; !m.targets.empty(); first = false) {
        memory_extension& target = m.targets.pop();
        if (first)
            target.times.absorb(fill_request.times);
        else
            target.milestone(stage::merge, now);
        tlm::tlm_generic_payload& trans = target.carrier();
        if (!arrived) {
            trans.set_response_status(answer.get_response_status());
            ++statistics_.count.refused;
        } else if (trans.is_read()) {  // decoded before, and it needs no more of that than its place
            transfer(trans, lines_.data(line) + (trans.get_address() & (line_bytes_ - 1)));
            trans.set_response_status(tlm::TLM_OK_RESPONSE);
        } else if (access a; decode(trans, a) && finish(target, a)) {
            lines_.set_dirty(line, lines_.dirty_bytes(line) | a.need);
        }
        fills_.push(target, slot);
        slot += spec_.cycle;
    }
    fill_slot_ = slot;
    lines_.clear_pending(line);
    if (m.stale || !arrived) invalidate_line(line);
    statistics_.fill_latency.add((now - m.since).ps);
    if (!itself) payloads_.release(*std::exchange(m.fill, nullptr));
    m.under_way = false;
    free_misses_.push_back(number);
    ++fills_got_;
    statistics_.misses.set(now, static_cast<double>(misses_.size() - free_misses_.size()));
    if (waits_for_a_fill()) look_again();
}

void cache::write_back(std::uint32_t line) {
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    payload& p = payloads_.take();
    p.write(lines_.address(line), line_bytes_);
    std::copy_n(lines_.data(line), line_bytes_, p.bytes());
    const byte_mask dirty = lines_.dirty_bytes(line);
    if (dirty != lines_.whole_line()) {
        dirty.write_enables(p.enables(), line_bytes_);
        p.use_enables();
    }
    memory_extension& request = p.extension();
    request.origin.gpu = static_cast<std::uint16_t>(spec_.socket);
    request.times.begin(events_.now());
    request.push_route(write_back_mark | slot);
    lines_.set_dirty(line, {});
    slots_[slot] = {&p, ++write_backs_begun_, lines_.address(line), dirty};
    ++statistics_.count.write_backs;
    send_down(request);
}

void cache::write_back_done(std::uint32_t slot) {
    payloads_.release(*slots_[slot].data);
    slots_[slot] = {};
    free_slots_.push_back(slot);
    ++write_backs_done_;
    if (waiting_for_ == cache_wait::write_back || flush_.active) look_again();
}

// The copy is not used again, but bytes newer than the next level's stay. A line whose fill is under way still serves
// the requests that wait for it, and is dropped when they have been answered.
void cache::invalidate_line(std::uint32_t line) {
    if (lines_.pending(line)) {
        misses_[lines_.miss_of(line)].stale = true;
    } else if (lines_.dirty(line)) {
        lines_.set_valid(line, lines_.dirty_bytes(line));
    } else {
        lines_.release(line);
    }
}

std::uint64_t cache::candidates(const line_filter& which) const {
    const std::uint64_t range = (which.bytes >> line_shift_) + 1;
    return which.bytes == 0 || range > lines_.count() ? lines_.count() : range;
}

std::uint32_t cache::candidate(const line_filter& which, std::uint64_t number) const {
    if (candidates(which) == lines_.count()) {
        const auto line = static_cast<std::uint32_t>(number);
        return lines_.used(line) ? line : cache_lines::none;
    }
    const std::uint64_t address = (which.first & ~std::uint64_t{line_bytes_ - 1}) + (number << line_shift_);
    return lines_.find(set_of(address), address);
}

void cache::invalidate(line_filter which) {
    if (lines_.in_use_count() == 0) return;
    if (which.everything() && lines_.dirty_count() == 0 && fills_asked_ == fills_got_) {
        statistics_.count.invalidated += lines_.in_use_count();
        lines_.clear();
        return;
    }
    const std::uint64_t last = candidates(which);
    for (std::uint64_t n = 0; n < last; ++n) {
        const std::uint32_t line = candidate(which, n);
        if (line == cache_lines::none || !which(lines_.address(line))) continue;
        invalidate_line(line);
        ++statistics_.count.invalidated;
    }
}

bool cache::flush(line_filter which, core::callback done) {
    if (flush_.active) return false;
    flush_ = {true, which, done, 0, false, 0};
    look_again();
    return true;
}

void cache::pump_flush() {
    const std::uint64_t last = candidates(flush_.which);
    for (; flush_.next < last && lines_.dirty_count() > 0; ++flush_.next) {
        const std::uint32_t line = candidate(flush_.which, flush_.next);
        if (line == cache_lines::none || !lines_.dirty(line) || !flush_.which(lines_.address(line))) continue;
        if (!room_below(1) || !room_to_write_back()) return;
        write_back(line);
    }
    if (!flush_.walked) {
        flush_.walked = true;
        flush_.next = last;
        flush_.last_order = write_backs_begun_;  // includes lines that were evicted meanwhile
    }
    for (const write_back_slot& s : slots_)
        if (s.data != nullptr && s.order <= flush_.last_order) return;
    const core::callback done = flush_.done;
    flush_ = {};
    done();
}

// ---- Loosely timed and debug accesses of any length. The next level supplies or takes the bytes. Newer bytes of this
// level overlay them on a read. A write updates the copies here and in pending write-backs. No line is filled.

namespace {

bool enables_byte(const tlm::tlm_generic_payload& trans, unsigned i) {
    const std::uint8_t* const enables = trans.get_byte_enable_ptr();
    return enables == nullptr || enables[i % trans.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}

// The transaction ends within one call, so it needs no memory manager.
void prepare(tlm::tlm_generic_payload& trans, tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
             unsigned length) {
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(data);
    trans.set_data_length(length);
    trans.set_streaming_width(length);
    trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

void cache::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const memory_extension* const request = extension_of(trans);
    delay += sc_core::sc_time::from_value(hit_latency_.ps);
    if (request != nullptr && request->policy == cache_policy::uncached) return down->b_transport(trans, delay);
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND && request != nullptr &&
        request->atomic().op != atomic_op::none) {
        blocking_modify(trans, *request, delay);
        return;
    }
    access a;
    if (trans.is_read() && decode(trans, a) && has(a) && (request == nullptr || !passes(*request))) {
        transfer(trans, lines_.data(a.place) + a.offset);
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    const std::uint64_t address = trans.get_address();  // levels below may change it
    down->b_transport(trans, delay);
    if (!trans.is_response_ok()) return;
    if (trans.is_read()) overlay(trans, address, trans.get_data_length());
    if (trans.is_write()) update_copies(trans, address, trans.get_data_length());
}

void cache::blocking_modify(tlm::tlm_generic_payload& trans, const memory_extension& request, sc_core::sc_time& delay) {
    access a;
    if (!decode(trans, a)) {
        trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    std::array<std::uint8_t, payload::max_bytes> bytes;
    tlm::tlm_generic_payload inner;
    const auto below = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
        prepare(inner, command, address, bytes.data(), length);
        down->b_transport(inner, delay);
        return inner.is_response_ok();
    };
    const std::uint64_t address = trans.get_address();
    if (spec_.atomics == atomics_at::next || passes(request)) {
        const auto lies_here = [&] {
            return a.place != cache_lines::none && (lines_.dirty_bytes(a.place) & a.need).any();
        };
        if (lies_here()) {  // the next level must have the newest bytes
            std::copy_n(lines_.data(a.place) + a.offset, a.length, bytes.data());
            if (!below(tlm::TLM_WRITE_COMMAND, address, a.length)) return;
            lines_.set_dirty(a.place, lines_.dirty_bytes(a.place) & ~a.need);
        }
        down->b_transport(trans, delay);
        if (trans.is_response_ok() && below(tlm::TLM_READ_COMMAND, address, a.length))
            update_copies(inner, address, a.length);
        return;
    }
    if (!below(tlm::TLM_READ_COMMAND, address, a.length)) {
        trans.set_response_status(inner.get_response_status());
        return;
    }
    overlay(inner, address, a.length);
    if (!perform(request.atomic(), bytes.data(), trans.get_data_ptr(), trans.get_byte_enable_ptr(),
                 trans.get_byte_enable_length(), a.length)) {
        trans.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    below(tlm::TLM_WRITE_COMMAND, address, a.length);
    update_copies(inner, address, a.length);
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned cache::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    const std::uint64_t address = trans.get_address();
    const unsigned done = std::min(down->transport_dbg(trans), trans.get_data_length());
    if (trans.is_read()) overlay(trans, address, done);
    if (trans.is_write()) update_copies(trans, address, done);
    return done;
}

template <class What> void cache::each_newer(std::uint64_t address, unsigned length, What what) {
    // Two write-backs of a line may be under way: the later one is newer, and the line here is newer than both.
    for (std::uint64_t line = address & ~std::uint64_t{line_bytes_ - 1}; line < address + length; line += line_bytes_) {
        std::uint64_t done = 0;
        while (write_backs_begun_ != write_backs_done_) {
            write_back_slot* oldest = nullptr;
            for (write_back_slot& s : slots_)
                if (s.data != nullptr && s.order > done && s.line == line &&
                    (oldest == nullptr || s.order < oldest->order))
                    oldest = &s;
            if (oldest == nullptr) break;
            done = oldest->order;
            what(line, oldest->data->bytes(), oldest->bytes, cache_lines::none);
        }
        const std::uint32_t place = lines_.find(set_of(line), line);
        if (place != cache_lines::none) what(line, lines_.data(place), lines_.dirty_bytes(place), place);
    }
}

void cache::overlay(tlm::tlm_generic_payload& trans, std::uint64_t address, unsigned length) {
    each_newer(address, length, [&](std::uint64_t line, const std::uint8_t* bytes, byte_mask newer, std::uint32_t) {
        for (unsigned i = 0; i < line_bytes_; ++i) {
            const std::uint64_t at = line + i - address;
            if (at < length && newer.has(i) && enables_byte(trans, static_cast<unsigned>(at)))
                trans.get_data_ptr()[at] = bytes[i];
        }
    });
}

void cache::update_copies(const tlm::tlm_generic_payload& trans, std::uint64_t address, unsigned length) {
    each_newer(address, length, [&](std::uint64_t line, std::uint8_t* bytes, byte_mask newer, std::uint32_t place) {
        byte_mask written;
        for (unsigned i = 0; i < line_bytes_; ++i) {
            const std::uint64_t at = line + i - address;
            if (at >= length || !enables_byte(trans, static_cast<unsigned>(at))) continue;
            if (place == cache_lines::none && !newer.has(i)) continue;
            bytes[i] = trans.get_data_ptr()[at];
            written = written | byte_mask::range(i, 1);
        }
        if (place == cache_lines::none) return;
        lines_.set_valid(place, lines_.valid(place) | written);
        lines_.set_dirty(place, lines_.dirty_bytes(place) & ~written);  // the next level has them as well
    });
}

}  // namespace contraflow::memory
