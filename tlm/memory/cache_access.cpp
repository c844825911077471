// SPDX-License-Identifier: Apache-2.0
// What a cache does with one request.
#include "memory/cache.h"
#include "memory/enabled_copy.h"

namespace contraflow::memory {

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
    // Levels above have put it behind an atomic operation that waits for these bytes, and keep what it writes.
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
    if (a.place != cache_lines::none) {
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
    if (request.atomic.op == atomic_op::none) {  // a transaction that asks nothing of memory
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
        done = perform(request.atomic, bytes, trans.get_data_ptr(), trans.get_byte_enable_ptr(),
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
        if (under_way.targets.size() > spec_.merges) return stall(cache_wait::merge);
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
    payload& fill = payloads_.take();
    fill.read(a.line, line_bytes_);
    memory_extension& deputy = fill.extension();
    deputy.stand_for(request, now);
    request.milestone(own_stage(request), now);
    deputy.push_route(number);
    miss& fresh = misses_[number];
    fresh.line = a.place;
    fresh.fill = &fill;
    fresh.stale = false;
    fresh.modified = modifies ? a.need : byte_mask{};
    fresh.targets.push(request);
    ++statistics_.count.fills;
    ++fills_asked_;
    statistics_.misses.set(now, static_cast<double>(misses_.size() - free_misses_.size()));
    send_down(deputy);
    return true;
}

cache_wait cache::make_room(access& a, std::size_t requests) {
    std::uint64_t candidates = 0;
    for (unsigned way = 0; way < lines_.ways(); ++way) {
        const std::uint32_t line = lines_.line_of(a.set, way);
        if (!lines_.used(line)) {
            if (!room_below(requests)) return cache_wait::request_queue;
            a.place = line;
            return cache_wait::none;
        }
        if (!lines_.pending(line)) candidates |= std::uint64_t{1} << way;
    }
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

// The next level answers: what is newer here goes there first, and the copy here is not used again.
bool cache::pass_by(memory_extension& request, const access& a) {
    if (a.place != cache_lines::none) {
        const bool dirty = lines_.dirty(a.place);
        if (!room_below(dirty ? 2 : 1)) return stall(cache_wait::request_queue);
        if (dirty && !room_to_write_back()) return stall(cache_wait::write_back);
        if (dirty) write_back(a.place);
        forget(a.place);
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

}  // namespace contraflow::memory
