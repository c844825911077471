// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/payload.h"

#include <cstddef>
#include <new>
#include <stdexcept>

namespace contraflow::memory {

// The lines of the host's cache that the text in payload.h promises.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct payload_layout {
    static constexpr std::size_t line = 64;
    static constexpr std::size_t extension = offsetof(payload, extension_);
    static constexpr std::size_t times = extension + offsetof(memory_extension, times);

    // All attributes but the last, an option that nobody uses, are in line 0; the references end the base.
    static_assert(sizeof(tlm::tlm_generic_payload) == 2 * line + 8);
    static_assert(offsetof(payload, has_enables_) / line == 2);
    static_assert(extension == memory_extension::place_in_payload);

    static_assert((extension + offsetof(memory_extension, next)) / line == 2);
    static_assert((extension + offsetof(memory_extension, due)) / line == 2);
    static_assert((extension + offsetof(memory_extension, flits)) / line == 2);
    static_assert((extension + offsetof(memory_extension, depth_)) / line ==
                  2);  // scope and policy are right before it
    static_assert((extension + offsetof(memory_extension, op_)) / line == 2);
    static_assert((extension + offsetof(memory_extension, process)) / line == 2);
    static_assert((extension + offsetof(memory_extension, virtual_address)) / line == 2);
    static_assert((extension + offsetof(memory_extension, origin)) / line == 2);
    static_assert((extension + offsetof(memory_extension, route_) + sizeof(request_state::route_) - 1) / line == 3);
    static_assert((times + offsetof(milestones, last_)) / line == 3);
    static_assert((times + offsetof(milestones, begun_)) / line == 3);
    static_assert((times + offsetof(milestones, far_)) / line == 3);
    static_assert(times + offsetof(milestones, spent_) + milestones::near_stages * sizeof(std::uint32_t) == 4 * line);

    static_assert((times + offsetof(milestones, rare_)) / line == 4);
    static_assert((extension + offsetof(memory_extension, far_route_)) / line == 4);
    static_assert((extension + offsetof(memory_extension, compare_)) / line == 5);
    static_assert((extension + offsetof(memory_extension, carrier_)) / line == 5);
    static_assert(offsetof(payload, bytes_) == 6 * line);
    static_assert(offsetof(payload, enables_) == 8 * line);
    static_assert(sizeof(payload) == 9 * line);
};
#pragma GCC diagnostic pop

payload::payload(payload_pool& home) : tlm::tlm_generic_payload(&home), home_(home) {
    extension_.pooled_ = extension_.in_payload_ = true;
    set_extension(&extension_);
    acquire();
}

payload::~payload() { clear_extension<memory_extension>(); }

void payload::set(tlm::tlm_command command, std::uint64_t address, unsigned length) {
    if (length > max_bytes) throw std::length_error("payload: more data than a payload holds");
    set_command(command);
    set_address(address);
    set_data_ptr(bytes_.data());
    set_data_length(length);
    set_streaming_width(length);
    set_byte_enable_ptr(nullptr);
    set_byte_enable_length(0);
    set_dmi_allowed(false);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    extension_.op_ = atomic_op::none;
}

std::uint8_t* payload::take_enables() {
    has_enables_ = true;
    return enables_ = home_.take_enables();
}

// The types of extensions that every program has: ours, and TLM's own for byte orders, which stays with a transaction.
static unsigned known_extensions() {
    static_cast<void>(memory_extension::ID);
    static_cast<void>(tlm::tlm_endian_context::ID);
    return 2;
}

payload_pool::~payload_pool() {
    for (std::size_t n = made_; n > 0; --n) std::launder(reinterpret_cast<payload*>(place_of(n - 1)))->~payload();
}

payload& payload_pool::take() {
    if (free_payloads_ == nullptr) {
        if (made_ % in_a_block == 0) blocks_.emplace_back();
        free_payloads_ = &(new (place_of(made_)) payload(*this))->extension_;
        ++made_;
        free_payloads_->next = nullptr;
    }
    auto& p = static_cast<payload&>(free_payloads_->carrier());
    free_payloads_ = free_payloads_->next;
    ++taken_;
    p.extension_.clear();
    return p;
}

void payload_pool::free(tlm::tlm_generic_payload* done) {
    auto& p = static_cast<payload&>(*done);
    p.acquire();  // for the next user
    put(p);
}

void payload_pool::put(payload& p) {
    if (tlm::max_num_extensions() > known_extensions()) p.reset();  // removes what others attached for this use
    if (p.has_enables_) {
        p.has_enables_ = false;
        p.set_byte_enable_ptr(nullptr);
        put_enables(p.enables_);
    }
    p.extension_.next = free_payloads_;
    free_payloads_ = &p.extension_;
    ++freed_;
}

std::uint8_t* payload_pool::take_enables() {
    if (free_enables_ == nullptr) {
        if (enables_made_ % in_a_block == 0) enables_blocks_.emplace_back();
        free_enables_ = &enables_blocks_.back().first[enables_made_++ % in_a_block];
        free_enables_->next = nullptr;
    }
    enables_place& taken = *free_enables_;
    free_enables_ = taken.next;
    return taken.enables.data();
}

void payload_pool::put_enables(std::uint8_t* unused) {
    auto& place = *reinterpret_cast<enables_place*>(unused);
    place.next = free_enables_;
    free_enables_ = &place;
}

memory_extension& payload_pool::lend(tlm::tlm_generic_payload& to) {
    if (free_extensions_ == nullptr) {
        free_extensions_ = &extensions_.emplace_back();
        free_extensions_->pooled_ = true;
    }
    memory_extension& e = *free_extensions_;
    free_extensions_ = e.next;
    ++lent_;
    e.clear();
    e.carrier_ = &to;
    to.set_extension(&e);
    return e;
}

void payload_pool::take_back(memory_extension& lent) {
    lent.carrier_->clear_extension<memory_extension>();
    lent.carrier_ = nullptr;
    lent.next = free_extensions_;
    free_extensions_ = &lent;
    --lent_;
}

}  // namespace contraflow::memory
