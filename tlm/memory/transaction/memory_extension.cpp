// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

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
    atomic = from.atomic;
    times = from.times;
}

void memory_extension::free() {
    if (!pooled_) delete this;
}

}  // namespace contraflow::memory
