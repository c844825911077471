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
    ++statistics_.refused;
    hit(request);
}

bool cache::serve_read(memory_extension& request, access& a) {
    if (passes(request)) {
        if (!pass_by(request, a)) return false;
    } else if (has(a)) {
        finish(request, a);
        replacement_->used(a.set, a.place - lines_.line_of(a.set, 0));
        ++statistics_.read_hits;
        hit(request);
    } else if (a.place == cache_lines::none && request.policy == cache_policy::streaming) {
        if (!pass_on(request)) return false;
    } else if (!serve_miss(request, a)) {
        return false;
    }
    ++statistics_.reads;
    return true;
}

bool cache::serve_write(memory_extension& request, access& a) {
    const bool here = a.place != cache_lines::none;
    const bool on = spec_.writes == write_policy::through || passes(request) ||
                    (!here && request.policy == cache_policy::streaming);
    if (on) {
        if (!pass_on(request)) return false;
    } else if (!here) {
        if (const cache_wait why = allocate(a, 0); why != cache_wait::none) return stall(why);
    }
    if (a.place != cache_lines::none) {
        transfer(request.carrier(), lines_.data(a.place) + a.offset);
        lines_.valid(a.place) = lines_.valid(a.place) | a.need;
        lines_.set_dirty(a.place, on ? lines_.dirty(a.place) & ~a.need : lines_.dirty(a.place) | a.need);
        replacement_->used(a.set, a.place - lines_.line_of(a.set, 0));
    }
    if (here) ++statistics_.write_hits;
    ++statistics_.writes;
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
        if (finish(request, a)) lines_.set_dirty(a.place, lines_.dirty(a.place) | a.need);
        replacement_->used(a.set, a.place - lines_.line_of(a.set, 0));
        ++statistics_.atomic_hits;
        hit(request);
    } else if (!serve_miss(request, a)) {
        return false;
    }
    ++statistics_.atomics;
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
    if (here && lines_.pending(a.place) != 0) {
        miss& under_way = misses_[lines_.pending(a.place) - 1u];
        if (under_way.stale) return stall(cache_wait::stale_fill);
        if (under_way.targets.size() > spec_.merges) return stall(cache_wait::merge);
        request.milestone(own_stage(request), now);
        under_way.targets.push(request);
        replacement_->used(a.set, a.place - lines_.line_of(a.set, 0));
        ++statistics_.merged;
        return true;
    }
    if (free_misses_.empty()) return stall(cache_wait::miss_register);
    if (here) {
        if (!room_below(1)) return stall(cache_wait::request_queue);
        replacement_->used(a.set, a.place - lines_.line_of(a.set, 0));
    } else if (const cache_wait why = allocate(a, 1); why != cache_wait::none) {
        return stall(why);
    }
    const std::uint32_t number = free_misses_.back();
    free_misses_.pop_back();
    lines_.pending(a.place) = static_cast<std::uint16_t>(number + 1);
    payload& fill = payloads_.take();
    fill.read(a.line, line_bytes_);
    memory_extension& deputy = fill.extension();
    deputy.copy_from(request);
    deputy.atomic.op = atomic_op::none;
    request.milestone(own_stage(request), now);
    deputy.times.begin(now);
    deputy.push_route(number);
    miss& fresh = misses_[number];
    fresh.line = a.place;
    fresh.fill = &fill;
    fresh.stale = false;
    fresh.targets.push(request);
    ++statistics_.fills;
    ++fills_asked_;
    statistics_.misses.set(now, static_cast<double>(misses_.size() - free_misses_.size()));
    send_down(deputy);
    return true;
}

cache_wait cache::allocate(access& a, std::size_t requests) {
    std::uint64_t candidates = 0;
    std::uint32_t chosen = cache_lines::none;
    for (unsigned way = 0; way < lines_.ways(); ++way) {
        const std::uint32_t line = lines_.line_of(a.set, way);
        if (!lines_.used(line)) {
            chosen = line;
            break;
        }
        if (lines_.pending(line) == 0) candidates |= std::uint64_t{1} << way;
    }
    bool is_dirty = false;
    if (chosen == cache_lines::none) {
        if (candidates == 0) return cache_wait::set;
        chosen = lines_.line_of(a.set, replacement_->victim(a.set, candidates));
        is_dirty = lines_.dirty(chosen).any();
    }
    if (!room_below(requests + (is_dirty ? 1 : 0))) return cache_wait::request_queue;
    if (is_dirty && !room_to_write_back()) return cache_wait::write_back;
    if (is_dirty) write_back(chosen);
    if (lines_.used(chosen)) {
        ++statistics_.evictions;
        lines_.release(chosen);
    }
    lines_.occupy(chosen, a.line);
    replacement_->filled(a.set, chosen - lines_.line_of(a.set, 0));
    a.place = chosen;
    return cache_wait::none;
}

// The next level answers: what is newer here goes there first, and the copy here is not used again.
bool cache::pass_by(memory_extension& request, const access& a) {
    if (a.place != cache_lines::none) {
        const bool is_dirty = lines_.dirty(a.place).any();
        if (!room_below(is_dirty ? 2 : 1)) return stall(cache_wait::request_queue);
        if (is_dirty && !room_to_write_back()) return stall(cache_wait::write_back);
        if (is_dirty) write_back(a.place);
        forget(a.place);
    }
    return pass_on(request);
}

bool cache::pass_on(memory_extension& request) {
    if (!room_below(1)) return stall(cache_wait::request_queue);
    request.push_route(passed_on_mark);
    ++statistics_.passed_on;
    send_down(request);
    return true;
}

}  // namespace contraflow::memory
