// SPDX-License-Identifier: Apache-2.0
// A cache and the next level: fills, write-backs, flush and invalidation.
#include <algorithm>
#include <cstring>

#include "memory/cache.h"

namespace contraflow::memory {

void cache::send_down(memory_extension& request) {
    if (below_.empty() && down.ready())
        transmit(request);
    else
        below_.push(request);
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

void cache::fill_arrived(std::uint32_t number, memory_extension& deputy) {
    const core::sim_time now = events_.now();
    miss& m = misses_[number];
    const std::uint32_t line = m.line;
    // All of this is needed, and none of it likely to be in the host's cache: let it come at the same time.
    __builtin_prefetch(m.fill->bytes());
    __builtin_prefetch(m.fill->bytes() + line_bytes_ / 2);
    __builtin_prefetch(lines_.data(line), 1);
    __builtin_prefetch(lines_.data(line) + line_bytes_ / 2, 1);
    __builtin_prefetch(&m.targets.front(), 1);
    __builtin_prefetch(&m.targets.front().times, 1);
    const bool arrived = m.fill->is_response_ok();
    if (arrived) {
        const byte_mask valid = lines_.valid(line);
        if (valid.any())
            (lines_.whole_line() & ~valid).copy(lines_.data(line), m.fill->bytes(), line_bytes_);
        else
            std::memcpy(lines_.data(line), m.fill->bytes(), line_bytes_);
        lines_.set_valid(line, lines_.whole_line());
    }
    core::sim_time slot = std::max(now + fill_latency_, fill_slot_);
    for (bool first = true; !m.targets.empty(); first = false) {
        memory_extension& target = m.targets.pop();
        if (first)
            target.times.absorb(deputy.times);
        else
            target.milestone(stage::merge, now);
        access a;
        if (!arrived) {
            target.carrier().set_response_status(m.fill->get_response_status());
            ++statistics_.count.refused;
        } else if (decode(target.carrier(), a) && finish(target, a) &&
                   target.carrier().get_command() == tlm::TLM_IGNORE_COMMAND) {
            lines_.set_dirty(line, lines_.dirty_bytes(line) | a.need);
        }
        fills_.push(target, slot);
        slot += spec_.cycle;
    }
    fill_slot_ = slot;
    lines_.clear_pending(line);
    if (m.stale || !arrived) forget(line);
    statistics_.fill_latency.add((now - deputy.times.begun()).ps);
    m.fill->release();
    m.fill = nullptr;
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
    memory_extension& deputy = p.extension();
    deputy.origin.gpu = static_cast<std::uint16_t>(spec_.socket);
    deputy.times.begin(events_.now());
    deputy.push_route(write_back_mark | slot);
    lines_.set_dirty(line, {});
    slots_[slot] = {&p, ++write_backs_begun_, lines_.address(line), dirty};
    ++statistics_.count.write_backs;
    send_down(deputy);
}

void cache::write_back_done(std::uint32_t slot) {
    slots_[slot].data->release();
    slots_[slot] = {};
    free_slots_.push_back(slot);
    ++write_backs_done_;
    if (waiting_for_ == cache_wait::write_back || flush_.active) look_again();
}

// A copy that must not be used again; bytes newer than the next level's stay. A line under way keeps what it has for
// the requests that wait for it, and goes when they have been answered.
void cache::forget(std::uint32_t line) {
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
        forget(line);
        ++statistics_.count.invalidated;
    }
}

bool cache::flush(line_filter which, completion done) {
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
        flush_.last_order = write_backs_begun_;  // with what was evicted meanwhile
    }
    for (const write_back_slot& s : slots_)
        if (s.data != nullptr && s.order <= flush_.last_order) return;
    const completion done = flush_.done;
    flush_ = {};
    if (done.what != nullptr) done.what(done.object, done.argument);
}

}  // namespace contraflow::memory
