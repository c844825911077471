// SPDX-License-Identifier: Apache-2.0
// Loosely timed and debug accesses, of any length: the next level has or gets the bytes, what is newer here is laid
// over them, copies here are kept up to date, and what is on its way to be written back is as well. No line comes.
#include <algorithm>
#include <array>

#include "memory/cache.h"
#include "memory/enabled_copy.h"

namespace contraflow::memory {
namespace {

bool enables_byte(const tlm::tlm_generic_payload& trans, unsigned i) {
    const std::uint8_t* const enables = trans.get_byte_enable_ptr();
    return enables == nullptr || enables[i % trans.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}

// A transaction for a call that returns with it done: needs no memory manager.
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
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND && request != nullptr && request->atomic.op != atomic_op::none) {
        blocking_modify(trans, *request, delay);
        return;
    }
    access a;
    if (trans.is_read() && decode(trans, a) && has(a) && (request == nullptr || !passes(*request))) {
        transfer(trans, lines_.data(a.place) + a.offset);
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    const std::uint64_t address = trans.get_address();  // those below may change it
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
    tlm::tlm_generic_payload deputy;
    const auto below = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
        prepare(deputy, command, address, bytes.data(), length);
        down->b_transport(deputy, delay);
        return deputy.is_response_ok();
    };
    const std::uint64_t address = trans.get_address();
    if (spec_.atomics == atomics_at::next || passes(request)) {
        const auto lies_here = [&] {
            return a.place != cache_lines::none && (lines_.dirty_bytes(a.place) & a.need).any();
        };
        if (lies_here()) {  // the next level works on what is newest
            std::copy_n(lines_.data(a.place) + a.offset, a.length, bytes.data());
            if (!below(tlm::TLM_WRITE_COMMAND, address, a.length)) return;
            lines_.set_dirty(a.place, lines_.dirty_bytes(a.place) & ~a.need);
        }
        down->b_transport(trans, delay);
        if (trans.is_response_ok() && below(tlm::TLM_READ_COMMAND, address, a.length))
            update_copies(deputy, address, a.length);
        return;
    }
    if (!below(tlm::TLM_READ_COMMAND, address, a.length)) {
        trans.set_response_status(deputy.get_response_status());
        return;
    }
    overlay(deputy, address, a.length);
    if (!perform(request.atomic, bytes.data(), trans.get_data_ptr(), trans.get_byte_enable_ptr(),
                 trans.get_byte_enable_length(), a.length)) {
        trans.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    below(tlm::TLM_WRITE_COMMAND, address, a.length);
    update_copies(deputy, address, a.length);
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
    // The same line may be on its way twice: the later one is the newer one, and the line here newer than both.
    for (std::uint64_t line = address & ~std::uint64_t{line_bytes_ - 1}; line < address + length; line += line_bytes_) {
        std::uint64_t done = 0;
        for (;;) {
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
