// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a socket, for messages: the instance that owns the interface the socket is bound to.
#pragma once

#include <string>

#include <fmt/format.h>
#include <systemc>

namespace contraflow::memory {

template <class Interface> std::string instance_behind(const Interface* bound, const sc_core::sc_object& socket) {
    const auto* const object = dynamic_cast<const sc_core::sc_object*>(bound);
    if (object == nullptr) return fmt::format("the other end of {}", socket.name());
    if (dynamic_cast<const sc_core::sc_module*>(object) == nullptr && object->get_parent_object() != nullptr)
        return object->get_parent_object()->name();
    return object->name();
}

}  // namespace contraflow::memory
