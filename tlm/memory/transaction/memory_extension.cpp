// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/memory_extension.h"

#include <stdexcept>

namespace contraflow::memory {

void request_state::push_far(std::uint32_t mark) {
    if (depth_ == most_marks) throw std::length_error("memory_extension: more hops than a route holds");
    far_route_[depth_++ - near_marks] = mark;
}

std::uint32_t request_state::pop_far() {
    if (depth_ == 0) throw std::logic_error("memory_extension: a response came back further than its request");
    return far_route_[--depth_ - near_marks];
}

tlm::tlm_extension_base* memory_extension::clone() const {
    auto* const copy = new memory_extension;  // its transaction deletes it through free()
    copy->copy_from(*this);
    return copy;
}

void memory_extension::copy_from(const tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const memory_extension&>(other);
    virtual_address = from.virtual_address;
    process = from.process;
    origin = from.origin;
    scope = from.scope;
    policy = from.policy;
    modify(from.atomic());
    times = from.times;
}

void memory_extension::free() {
    if (!pooled_) delete this;
}

}  // namespace contraflow::memory
