// SPDX-License-Identifier: Apache-2.0
#include "memory/port/peer_name.h"

#include <vector>

#include <fmt/format.h>

namespace contraflow::memory {
namespace {

// The name of a socket is that of the module it is a part of.
std::string owner_of(const sc_core::sc_object& object) {
    const sc_core::sc_object* const parent = object.get_parent_object();
    const bool is_module = dynamic_cast<const sc_core::sc_module*>(&object) != nullptr;
    return is_module || parent == nullptr ? object.name() : parent->name();
}

// The export that gives that interface: sockets of other libraries keep the interface in a part without a name.
const sc_core::sc_object* find_export(const std::vector<sc_core::sc_object*>& among, sc_core::sc_interface* wanted) {
    for (sc_core::sc_object* const object : among) {
        auto* const exported = dynamic_cast<sc_core::sc_export_base*>(object);
        if (exported != nullptr && exported->get_interface() == wanted) return object;
        if (const auto* const found = find_export(object->get_child_objects(), wanted); found != nullptr) return found;
    }
    return nullptr;
}

}  // namespace

std::string instance_behind(sc_core::sc_interface* bound, const sc_core::sc_object& socket) {
    if (const auto* const object = dynamic_cast<const sc_core::sc_object*>(bound); object != nullptr)
        return owner_of(*object);
    if (const auto* const found = find_export(sc_core::sc_get_top_level_objects(), bound); found != nullptr)
        return owner_of(*found);
    return fmt::format("the other end of {}", socket.name());
}

}  // namespace contraflow::memory
