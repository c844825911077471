// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/payload.h"

#include <new>
#include <stdexcept>

namespace contraflow::memory {

payload::payload(payload_pool& home) : tlm::tlm_generic_payload(&home) {
    extension_.pooled_ = true;
    extension_.carrier_ = this;
    set_extension(&extension_);
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
    extension_.atomic.op = atomic_op::none;
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
    p.acquire();
    return p;
}

void payload_pool::free(tlm::tlm_generic_payload* done) {
    auto& p = static_cast<payload&>(*done);
    p.reset();  // removes the extensions that others attached for this use
    p.extension_.next = free_payloads_;
    free_payloads_ = &p.extension_;
    ++freed_;
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
