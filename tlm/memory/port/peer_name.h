// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a socket, for messages: the instance that has the interface the socket is bound to.
#pragma once

#include <string>

#include <systemc>

namespace contraflow::memory {

// `bound` is that interface; `socket` is ours, by which the other end is named if it can't be found.
std::string instance_behind(sc_core::sc_interface* bound, const sc_core::sc_object& socket);

}  // namespace contraflow::memory
