// SPDX-License-Identifier: Apache-2.0
// More data than all sockets' memories hold.
#pragma once

#include <stdexcept>

#include "core/units.h"

namespace contraflow::memory {

class memory_full : public std::runtime_error {
public:
    // Allocated so far; what a socket has; the least it must have for all of that to have room.
    memory_full(core::bytes allocated, core::bytes socket_has, core::bytes socket_needs);
    core::bytes allocated() const { return allocated_; }
    core::bytes socket_has() const { return socket_has_; }
    core::bytes socket_needs() const { return socket_needs_; }

private:
    core::bytes allocated_, socket_has_, socket_needs_;
};

}  // namespace contraflow::memory
