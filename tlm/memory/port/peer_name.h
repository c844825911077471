// SPDX-License-Identifier: Apache-2.0
// The name of the instance at the other end of a socket, for messages.
#pragma once

#include <string>

#include <systemc>

namespace contraflow::memory {

// `bound` is that interface; `socket` is our own, which names the other end if it cannot be found.
std::string instance_behind(sc_core::sc_interface* bound, const sc_core::sc_object& socket);

}  // namespace contraflow::memory
